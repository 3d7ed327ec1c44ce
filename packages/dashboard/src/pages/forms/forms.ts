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

const lists = new Map<string, PagedList<Submission>>()

export function submissionsTo(at: FormAt): PagedList<Submission> {
  const key = `submissions to ${at.form} of ${at.project}`
  const list =
    lists.get(key) ??
    pagedList<Submission>(key, async query => {
      const path = 'GET /projects/:name/forms/:form/submissions'
      const { submissions, next_cursor } = await call(path, { params: params(at), query })
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
  submissionsTo(at).forget()
  writeResource<Form[]>(formsKey(at.project), forms => forms.filter(({ name }) => name !== at.form))
}

export async function removeSubmission(at: FormAt, id: string): Promise<void> {
  const path = 'DELETE /projects/:name/forms/:form/submissions/:id'
  await call(path, { params: { ...params(at), id } })
  submissionsTo(at).change(rows => rows.filter(row => row.id !== id))
  writeResource<Form[]>(formsKey(at.project), forms =>
    forms.map(form => (form.name === at.form ? { ...form, submissions: form.submissions - 1 } : form)),
  )
}

export const saveCsv = (at: FormAt): Promise<void> =>
  saveFile('GET /projects/:name/forms/:form/export', params(at), `${at.project}-${at.form}.csv`)

/** A value as a person reads it; lists with commas between. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
