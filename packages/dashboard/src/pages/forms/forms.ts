// The forms of a project as the dashboard shows them, and the calls that change them.
import type { Form, Submission } from '@svc/contract'
import { call, saveFile } from '../../api.ts'
import { type PagedList, pagedList } from '../../paged-list.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'

export interface FormAt {
  project: string
  form: string
}

const formsKey = (project: string) => `forms of ${project}`
const params = ({ project, form }: FormAt) => ({ name: project, form })

export function useForms(project: string): Resource<Form[]> {
  return useResource(
    formsKey(project),
    async () => (await call('GET /projects/:name/forms', { params: { name: project } })).forms,
  )
}

/** What the page of a form lists. `all` leaves out spam. */
export type Shown = 'all' | 'unread' | 'spam'

const lists = new Map<string, PagedList<Submission>>()

export function submissionsTo(at: FormAt, show: Shown): PagedList<Submission> {
  const key = `${show} submissions to ${at.form} of ${at.project}`
  const list =
    lists.get(key) ??
    pagedList<Submission>(key, async query => {
      const path = 'GET /projects/:name/forms/:form/submissions'
      const { submissions, next_cursor } = await call(path, { params: params(at), query: { ...query, show } })
      return { rows: submissions, next_cursor }
    })
  lists.set(key, list)
  return list
}

export async function changeForm(
  at: FormAt,
  body: Partial<Pick<Form, 'notify' | 'retention_days'>>,
): Promise<{ sends_email: boolean }> {
  const changed = await call('PATCH /projects/:name/forms/:form', { params: params(at), body })
  writeResource<Form[]>(formsKey(at.project), forms =>
    forms.map(form => (form.name === at.form ? changed : form)),
  )
  return changed
}

export async function removeForm(at: FormAt): Promise<void> {
  await call('DELETE /projects/:name/forms/:form', { params: params(at) })
  for (const show of everything) submissionsTo(at, show).forget()
  writeResource<Form[]>(formsKey(at.project), forms => forms.filter(({ name }) => name !== at.form))
}

export async function removeSubmission(at: FormAt, id: string): Promise<void> {
  const path = 'DELETE /projects/:name/forms/:form/submissions/:id'
  await call(path, { params: { ...params(at), id } })
  for (const show of everything) submissionsTo(at, show).change(rows => rows.filter(row => row.id !== id))
  await reloadForms(at)
}

const everything: readonly Shown[] = ['all', 'unread', 'spam']

/** Counts may have changed, also by visitors. */
async function reloadForms({ project }: FormAt): Promise<void> {
  const { forms } = await call('GET /projects/:name/forms', { params: { name: project } })
  writeResource<Form[]>(formsKey(project), () => forms)
}

/** The open list keeps a submission that was just read, so that it does not vanish under the pointer. */
export async function markRead(at: FormAt, { id }: Submission): Promise<void> {
  await mark(at, id, { read: true })
  for (const show of everything)
    submissionsTo(at, show).change(rows => rows.map(row => (row.id === id ? { ...row, read: true } : row)))
}

export async function markSpam(at: FormAt, { id }: Submission, spam: boolean): Promise<void> {
  await mark(at, id, { spam })
  for (const show of everything) submissionsTo(at, show).change(rows => rows.filter(row => row.id !== id))
}

async function mark(at: FormAt, id: string, body: { read?: boolean; spam?: boolean }): Promise<void> {
  const path = 'PATCH /projects/:name/forms/:form/submissions/:id'
  await call(path, { params: { ...params(at), id }, body })
  await reloadForms(at)
}

export async function markAllRead(at: FormAt): Promise<void> {
  await call('POST /projects/:name/forms/:form/read', { params: params(at) })
  submissionsTo(at, 'unread').change(() => [])
  submissionsTo(at, 'all').change(rows => rows.map(row => ({ ...row, read: true })))
  await reloadForms(at)
}

export const saveCsv = (at: FormAt): Promise<void> =>
  saveFile('GET /projects/:name/forms/:form/export', params(at), `${at.project}-${at.form}.csv`)

/** A value as a person reads it; lists with commas between. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
