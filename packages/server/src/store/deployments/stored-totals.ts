// Running totals of what the files of each project's deployments take. Every statement that gives a deployment files, or takes
// them away, counts them in the same transaction. Rows that a statement returns are counted, so each is counted once.
import { noteNewest } from '../projects/activity.ts'
import type { Db, Store, Tx } from '../store.ts'
import type { DeploymentRow } from '../tables.ts'

/** Statuses whose files exist. */
export const stored = ['live', 'superseded', 'branch'] as const

type Counted = Pick<DeploymentRow, 'project_id' | 'size_bytes'>
type Deleted = Counted & Pick<DeploymentRow, 'status' | 'parts_until'>

/** The columns that a statement returns for the totals. */
export const countedColumns = ['project_id', 'size_bytes', 'status', 'parts_until'] as const

const hasFiles = ({ status, parts_until }: Pick<Deleted, 'status' | 'parts_until'>): boolean =>
  parts_until !== null || (stored as readonly string[]).includes(status)

/** Deployments that had no files before. */
export const addToTotals = (db: Db, rows: readonly Counted[]): Promise<void> => count(db, rows, 1)

/** Deployments that were uploads before. Those that broke off are counted already, by the files that are kept of them. */
export const addUploaded = (db: Db, rows: readonly (Counted & Pick<DeploymentRow, 'parts_until'>)[]) =>
  addToTotals(
    db,
    rows.filter(row => row.parts_until === null),
  )

/** Deployments that were deleted. */
export const takeFromTotals = (db: Db, rows: readonly Deleted[]): Promise<void> =>
  count(db, rows.filter(hasFiles), -1)

async function count(db: Db, rows: readonly Counted[], sign: 1 | -1): Promise<void> {
  const totals = new Map<string, { bytes: number; deployments: number }>()
  for (const { project_id, size_bytes } of rows) {
    const total = totals.get(project_id) ?? { bytes: 0, deployments: 0 }
    total.bytes += sign * Number(size_bytes ?? 0)
    total.deployments += sign
    totals.set(project_id, total)
  }
  // In the order of the ids, so that two transactions do not wait for each other.
  for (const [project_id, total] of [...totals].sort(([a], [b]) => (a < b ? -1 : 1)))
    await db
      .insertInto('stored_totals')
      .values({ project_id, ...total, checked_at: 0 })
      .onConflict(c =>
        c.column('project_id').doUpdateSet(eb => ({
          bytes: eb('stored_totals.bytes', '+', total.bytes),
          deployments: eb('stored_totals.deployments', '+', total.deployments),
        })),
      )
      .execute()
}

/**
 * Compares totals that were not compared since `before` with the deployments, and repairs wrong ones. Returns the ids of
 * those projects. An older version of svcd on another node does not count, nor does it note the last activity.
 */
export async function checkTotals(
  store: Pick<Store, 'db' | 'transact'>,
  { before, now, atMost }: { before: number; now: number; atMost: number },
): Promise<string[]> {
  const due = await store.db
    .selectFrom('stored_totals')
    .select('project_id')
    .where('checked_at', '<', before)
    .orderBy('checked_at')
    .limit(atMost)
    .execute()
  const repaired: string[] = []
  for (const { project_id } of due) {
    if (await store.transact(tx => checkTotal(tx, project_id, now))) repaired.push(project_id)
    await noteNewest(store.db, project_id)
  }
  return repaired
}

/** Takes the row first: whoever has changed deployments and not counted them yet counts after this. */
async function checkTotal(tx: Tx, projectId: string, now: number): Promise<boolean> {
  const kept = await tx
    .updateTable('stored_totals')
    .set({ checked_at: now })
    .where('project_id', '=', projectId)
    .returning(['bytes', 'deployments'])
    .executeTakeFirst()
  if (!kept) return false
  const found = await tx
    .selectFrom('deployments')
    .select(eb => [eb.fn.sum('size_bytes').as('bytes'), eb.fn.countAll().as('deployments')])
    .where('project_id', '=', projectId)
    .where(eb => eb.or([eb('status', 'in', stored), eb('parts_until', 'is not', null)]))
    .executeTakeFirstOrThrow()
  const total = { bytes: Number(found.bytes ?? 0), deployments: Number(found.deployments) }
  if (Number(kept.bytes) === total.bytes && Number(kept.deployments) === total.deployments) return false
  await tx.updateTable('stored_totals').set(total).where('project_id', '=', projectId).execute()
  return true
}
