// Forms and their submissions.
import { sql } from 'kysely'
import type { PageRequest } from '../../lib/page.ts'
import { pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import type { Db, Tx } from '../store.ts'
import type { FormRow, SubmissionRow } from '../tables.ts'

/** Ids in one statement. */
const idsAtOnce = 500
/** Written into the statement: so SQLite knows that the index of these has them all. */
const due = sql.lit(1)

/** A form by its project and its name. */
export type FormKey = Pick<SubmissionRow, 'project_id' | 'form'>

export interface FormWithCount extends FormRow {
  /** Without spam. */
  submissions: number
  unread: number
  spam: number
  last_at: number | null
}

const withCounts = (db: Db) =>
  db
    .selectFrom('forms')
    .leftJoin('submissions', join =>
      join
        .onRef('submissions.project_id', '=', 'forms.project_id')
        .onRef('submissions.form', '=', 'forms.name'),
    )
    .selectAll('forms')
    .select([
      sql<Count>`count(case when submissions.is_spam = 0 then 1 end)`.as('submissions'),
      sql<Count>`count(case when submissions.is_spam = 0 and submissions.is_read = 0 then 1 end)`.as(
        'unread',
      ),
      sql<Count>`count(case when submissions.is_spam = 1 then 1 end)`.as('spam'),
      sql<number | null>`max(case when submissions.is_spam = 0 then submissions.created_at end)`.as(
        'last_at',
      ),
    ])
    .groupBy([
      'forms.project_id',
      'forms.name',
      'forms.notify',
      'forms.retention_days',
      'forms.created_at',
      'forms.stored_bytes',
      'forms.trapped',
    ])

type Count = number | string | bigint
type Counted = FormRow & Record<'submissions' | 'unread' | 'spam', Count> & { last_at: number | null }

const counted = (row: Counted): FormWithCount => ({
  ...row,
  submissions: Number(row.submissions),
  unread: Number(row.unread),
  spam: Number(row.spam),
})

export async function listForms(db: Db, projectId: string): Promise<FormWithCount[]> {
  const rows = await withCounts(db).where('forms.project_id', '=', projectId).orderBy('forms.name').execute()
  return rows.map(counted)
}

export async function findFormWithCount(db: Db, key: FormKey): Promise<FormWithCount | undefined> {
  const row = await withCounts(db)
    .where('forms.project_id', '=', key.project_id)
    .where('forms.name', '=', key.form)
    .executeTakeFirst()
  return row && counted(row)
}

export const findForm = (db: Db, key: FormKey): Promise<FormRow | undefined> =>
  db
    .selectFrom('forms')
    .selectAll()
    .where('project_id', '=', key.project_id)
    .where('name', '=', key.form)
    .executeTakeFirst()

export async function countForms(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('forms')
    .select(eb => eb.fn.countAll().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Does nothing if the form exists. */
export async function insertForm(tx: Tx, row: FormRow): Promise<void> {
  await tx
    .insertInto('forms')
    .values(row)
    .onConflict(c => c.columns(['project_id', 'name']).doNothing())
    .execute()
}

/** Returns false if there is no such form. */
export async function changeForm(
  tx: Tx,
  key: FormKey,
  change: Partial<Pick<FormRow, 'notify' | 'retention_days'>>,
): Promise<boolean> {
  // Always set a column, because an update also finds and locks the row.
  const updated = await tx
    .updateTable('forms')
    .set(eb => ({ created_at: eb.ref('created_at'), ...change }))
    .where('project_id', '=', key.project_id)
    .where('name', '=', key.form)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export async function deleteForm(tx: Tx, key: FormKey): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('forms')
    .where('project_id', '=', key.project_id)
    .where('name', '=', key.form)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

export async function insertSubmission(tx: Tx, row: SubmissionRow): Promise<void> {
  await tx.insertInto('submissions').values(row).execute()
  await addBytes(tx, row, row.fields.length)
}

/** Counts characters instead of bytes, because both databases count them the same way. */
async function addBytes(db: Db, { project_id, form }: FormKey, bytes: number): Promise<void> {
  await db
    .updateTable('forms')
    .set(eb => ({ stored_bytes: eb('stored_bytes', '+', bytes) }))
    .where('project_id', '=', project_id)
    .where('name', '=', form)
    .execute()
}

async function bytesOf(db: Db, ids: string[]): Promise<number> {
  const { bytes } = await db
    .selectFrom('submissions')
    .select(sql<number>`sum(length(fields))`.as('bytes'))
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

const submissionsOf = (db: Db, { project_id, form }: FormKey) =>
  db.selectFrom('submissions').selectAll().where('project_id', '=', project_id).where('form', '=', form)

/** `all` leaves out spam, too. */
export type Shown = 'all' | 'unread' | 'spam'

/** Newest first. */
export async function listSubmissions(db: Db, key: FormKey, page: PageRequest, shown: Shown = 'all') {
  const rows = await submissionsOf(db, key)
    .where('is_spam', '=', shown === 'spam' ? 1 : 0)
    .$if(shown === 'unread', query => query.where('is_read', '=', 0))
    .where(olderThan('submissions', page))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

/** Returns the submission as it is now, or `undefined` if there is none. */
export const markSubmission = (
  tx: Tx,
  key: FormKey,
  id: string,
  marks: Partial<Pick<SubmissionRow, 'is_read' | 'is_spam' | 'mail_due'>>,
): Promise<SubmissionRow | undefined> =>
  tx
    .updateTable('submissions')
    .set(eb => ({ created_at: eb.ref('created_at'), ...marks }))
    .where('project_id', '=', key.project_id)
    .where('form', '=', key.form)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export async function markAllRead(tx: Tx, key: FormKey): Promise<void> {
  await tx
    .updateTable('submissions')
    .set({ is_read: 1 })
    .where('project_id', '=', key.project_id)
    .where('form', '=', key.form)
    .where('is_read', '=', 0)
    .where('is_spam', '=', 0)
    .execute()
}

/** Counts a submission that was dropped because a bot filled in the trap. Does nothing if the form does not exist. */
export async function countTrapped(db: Db, key: FormKey): Promise<void> {
  await db
    .updateTable('forms')
    .set(eb => ({ trapped: eb('trapped', '+', 1) }))
    .where('project_id', '=', key.project_id)
    .where('name', '=', key.form)
    .execute()
}

export async function deleteSubmission(tx: Tx, key: FormKey, id: string): Promise<boolean> {
  const bytes = await bytesOf(tx, [id])
  const deleted = await tx
    .deleteFrom('submissions')
    .where('project_id', '=', key.project_id)
    .where('form', '=', key.form)
    .where('id', '=', id)
    .executeTakeFirst()
  if (deleted.numDeletedRows === 0n) return false
  await addBytes(tx, key, -bytes)
  return true
}

/** The ids of those that an email should tell of, oldest first. */
export async function mailDue(db: Db, key: FormKey, limit: number): Promise<string[]> {
  const rows = await submissionsOf(db, key)
    .clearSelect()
    .select('id')
    .where('mail_due', '=', due)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Oldest first. */
export const findSubmissions = (db: Db, ids: string[]): Promise<SubmissionRow[]> =>
  db
    .selectFrom('submissions')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const formsWithMailDue = (db: Db): Promise<FormKey[]> =>
  db.selectFrom('submissions').select(['project_id', 'form']).distinct().where('mail_due', '=', due).execute()

export async function mailDone(db: Db, ids: string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += idsAtOnce)
    await db
      .updateTable('submissions')
      .set({ mail_due: 0 })
      .where('id', 'in', ids.slice(at, at + idsAtOnce))
      .execute()
}

/** Drops emails about submissions that are too old. */
export async function forgetOldMail(db: Db, before: number): Promise<void> {
  await db
    .updateTable('submissions')
    .set({ mail_due: 0 })
    .where('mail_due', '=', due)
    .where('created_at', '<', before)
    .execute()
}

/** Forms of an owner whose emails go to this address, or to the owner. */
export const formsNotifying = (db: Db, ownerId: string, address: string): Promise<FormKey[]> =>
  db
    .selectFrom('forms')
    .innerJoin('projects', 'projects.id', 'forms.project_id')
    .select(['forms.project_id', 'forms.name as form'])
    .where(eb => eb.or([eb('projects.account_id', '=', ownerId), eb('projects.org_id', '=', ownerId)]))
    .where(eb => eb.or([eb('forms.notify', '=', 'on'), eb(eb.fn('lower', ['forms.notify']), '=', address)]))
    .execute()

export const formsWithRetention = (db: Db): Promise<FormRow[]> =>
  db.selectFrom('forms').selectAll().where('retention_days', 'is not', null).execute()

/** Deletes at most `limit` of a form's submissions from before that time. Returns how many they were. */
export async function deleteSubmissionsBefore(
  tx: Tx,
  key: FormKey,
  before: number,
  limit: number,
): Promise<number> {
  const old = await submissionsOf(tx, key)
    .clearSelect()
    .select('id')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  if (old.length === 0) return 0
  const ids = old.map(({ id }) => id)
  await addBytes(tx, key, -(await bytesOf(tx, ids)))
  const deleted = await tx.deleteFrom('submissions').where('id', 'in', ids).executeTakeFirst()
  return Number(deleted.numDeletedRows)
}
