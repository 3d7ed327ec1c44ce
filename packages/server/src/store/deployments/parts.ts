// Files of uploads that broke off. They are kept for a while under the id of the failed deployment, so that the next
// upload need not send them again.
import type { Db, Tx } from '../store.ts'
import { addToTotals, stored, takeFromTotals } from './stored-totals.ts'

/** Of a project, at a time. */
const partsAtMost = 4

/** False where the project has too many already, or the record is gone: the files are not kept then. */
export async function keepParts(
  db: Tx,
  projectId: string,
  id: string,
  facts: { bytes: number; until: number },
): Promise<boolean> {
  const others = await db
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', projectId)
    .where('parts_until', 'is not', null)
    .limit(partsAtMost)
    .execute()
  if (others.length >= partsAtMost) return false
  const updated = await db
    .updateTable('deployments')
    .set({ parts_until: facts.until, size_bytes: facts.bytes })
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('status', 'not in', stored)
    .where('parts_until', 'is', null)
    .returning(['project_id', 'size_bytes'])
    .execute()
  await addToTotals(db, updated)
  return updated.length === 1
}

export async function expiredParts(db: Db, now: number, atMost: number): Promise<string[]> {
  const rows = await db
    .selectFrom('deployments')
    .select('id')
    .where('parts_until', '<=', now)
    .limit(atMost)
    .execute()
  return rows.map(row => row.id)
}

export async function forgetParts(db: Tx, ids: string[]): Promise<void> {
  const failed = db.updateTable('deployments').where('id', 'in', ids).where('status', 'not in', stored)
  const forgotten = await failed
    .set({ parts_until: null })
    .where('parts_until', 'is not', null)
    // The size before: a statement returns what it wrote.
    .returning(['id', 'project_id', 'size_bytes', 'status'])
    .execute()
  if (forgotten.length === 0) return
  await takeFromTotals(
    db,
    forgotten.map(row => ({ ...row, parts_until: 0 })),
  )
  await failed.set({ size_bytes: null }).execute()
}

/** The newest deployments of a project that have files, those of uploads that broke off included. */
export async function fileSources(db: Db, projectId: string, now: number, atMost: number): Promise<string[]> {
  const rows = await db
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', projectId)
    .where(eb => eb.or([eb('status', 'in', ['live', 'superseded', 'branch']), eb('parts_until', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(atMost)
    .execute()
  return rows.map(row => row.id)
}
