// Forms for the owners of a site: submissions, recipients, retention.
import type { Form, Submission } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import type { PageRequest } from '../../lib/page.ts'
import {
  changeForm,
  deleteForm,
  deleteSubmission,
  deleteSubmissionsBefore,
  type FormKey,
  type FormWithCount,
  findForm,
  findFormWithCount,
  formsWithRetention,
  listForms,
  listSubmissions,
  markAllRead,
  markSubmission,
  type Shown,
} from '../../store/forms/forms.ts'
import type { Db } from '../../store/store.ts'
import type { SubmissionRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { FormMailParts, Platform, Rows } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { exportCsv } from './csv.ts'
import { askToConfirm, recipientsOf } from './recipients.ts'

const deletedAtOnce = 500

export async function formsOf(
  platform: Pick<Platform, 'mailer' | 'signups' | 'store'>,
  project: ProjectScope,
): Promise<Form[]> {
  const rows = await listForms(platform.store.db, project.id)
  return await Promise.all(rows.map(row => describeForm(platform, project, row)))
}

export async function submissionsOf(
  platform: Pick<Platform, 'store'>,
  project: ProjectScope,
  name: string,
  { show, ...page }: PageRequest & { show?: Shown | undefined },
) {
  const { db } = platform.store
  const key = keyOf(project, name)
  const { rows, next_cursor } = await listSubmissions(db, key, page, show)
  if (rows.length === 0) await requireForm(db, key)
  return { submissions: rows.map(describeSubmission), next_cursor }
}

export async function exportForm(
  platform: Pick<Platform, 'store'>,
  project: ProjectScope,
  name: string,
): Promise<AsyncGenerator<string>> {
  const key = keyOf(project, name)
  await requireForm(platform.store.db, key)
  // The export reads everything twice, so it uses a separate connection.
  return exportCsv(platform.store.aside, key)
}

export async function updateForm(
  platform: FormMailParts,
  caller: Caller,
  project: ProjectScope,
  name: string,
  change: { notify?: string | undefined; retention_days?: number | null | undefined },
): Promise<Form> {
  const key = keyOf(project, name)
  const { notify, retention_days } = change
  const details = {
    ...(notify !== undefined && { notify }),
    ...(retention_days !== undefined && { retention_days }),
  }
  if (notify !== undefined) {
    await requireForm(platform.store.db, key)
    await askToConfirm(platform, project, notify, `form submissions on ${platform.urls.site(project.name)}`)
  }
  const changed = await platform.store.transact(async tx => {
    if (!(await changeForm(tx, key, details))) throw noSuchForm(name)
    if (Object.keys(details).length > 0)
      await audit(platform, tx, caller, { action: 'form.update', project, target: name, details })
    return (await findFormWithCount(tx, key))!
  })
  return await describeForm(platform, project, changed)
}

export async function removeForm(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  name: string,
): Promise<void> {
  await platform.store.transact(async tx => {
    if (!(await deleteForm(tx, keyOf(project, name)))) throw noSuchForm(name)
    await audit(platform, tx, caller, { action: 'form.delete', project, target: name })
  })
}

/** Marks a submission. Spam counts as read, and no email tells of it. */
export async function changeSubmission(
  platform: Rows,
  project: ProjectScope,
  name: string,
  id: string,
  { read, spam }: { read?: boolean | undefined; spam?: boolean | undefined },
): Promise<Submission> {
  const marks = {
    ...(read !== undefined && { is_read: Number(read) }),
    ...(spam !== undefined && { is_spam: Number(spam) }),
    ...(spam && { is_read: 1, mail_due: 0 }),
  }
  const row = await platform.store.transact(tx => markSubmission(tx, keyOf(project, name), id, marks))
  if (!row) throw noSuchSubmission(id)
  return describeSubmission(row)
}

export async function readAll(platform: Rows, project: ProjectScope, name: string): Promise<void> {
  const key = keyOf(project, name)
  await platform.store.transact(async tx => {
    await requireForm(tx, key)
    await markAllRead(tx, key)
  })
}

export async function removeSubmission(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  name: string,
  id: string,
): Promise<void> {
  await platform.store.transact(async tx => {
    if (!(await deleteSubmission(tx, keyOf(project, name), id))) throw noSuchSubmission(id)
    const details = { form: name }
    await audit(platform, tx, caller, { action: 'submission.delete', project, target: id, details })
  })
}

/** Deletes expired submissions in small batches, so that the database is never locked for long. */
export async function removeOldSubmissions({ store, clock }: Rows): Promise<void> {
  for (const { project_id, name, retention_days } of await formsWithRetention(store.db)) {
    const before = clock.now() - retention_days! * dayMs
    const key = { project_id, form: name }
    const deleteSome = () => store.transact(tx => deleteSubmissionsBefore(tx, key, before, deletedAtOnce))
    while ((await deleteSome()) === deletedAtOnce);
  }
}

const keyOf = (project: ProjectScope, form: string): FormKey => ({ project_id: project.id, form })

async function requireForm(db: Db, key: FormKey): Promise<void> {
  if (!(await findForm(db, key))) throw noSuchForm(key.form)
}

const noSuchSubmission = (id: string): Fault =>
  new Fault('not_found', `There is no submission '${id.slice(0, 40)}' to this form.`)

const noSuchForm = (name: string): Fault =>
  new Fault(
    'not_found',
    `There is no form '${name.slice(0, 40)}' in this project. A form exists from its first submission.`,
  )

const describeForm = async (
  platform: Pick<Platform, 'mailer' | 'signups' | 'store'>,
  project: ProjectScope,
  row: FormWithCount,
): Promise<Form> => ({
  name: row.name,
  submissions: row.submissions,
  unread: row.unread,
  spam: row.spam,
  trapped: row.trapped,
  last_submission_at: isoTimeOrNull(row.last_at),
  notify: row.notify,
  // Without a mail server nobody gets a link, nor any other email.
  notify_pending: platform.mailer.isConfigured
    ? (await recipientsOf(platform, project, row.notify)).pending
    : [],
  retention_days: row.retention_days,
  stored_bytes: Number(row.stored_bytes),
})

const describeSubmission = (row: SubmissionRow): Submission => ({
  id: row.id,
  created_at: isoTime(row.created_at),
  fields: JSON.parse(row.fields) as Record<string, unknown>,
  country: row.country,
  referrer: row.referrer,
  read: row.is_read === 1,
  spam: row.is_spam === 1,
})
