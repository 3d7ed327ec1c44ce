// Where notifications go: the targets of a project or an org.
import type { Sealed } from '../../lib/seal.ts'
import type { Db, Tx } from '../store.ts'
import type { NotificationSecretRow, NotificationTargetRow } from '../tables.ts'

/** The owner of a target. */
export type TargetOwner = { projectId: string } | { orgId: string }

export const ownerColumns = (owner: TargetOwner) =>
  'projectId' in owner
    ? { project_id: owner.projectId, org_id: null }
    : { project_id: null, org_id: owner.orgId }

export function listTargets(db: Db, owner: TargetOwner): Promise<NotificationTargetRow[]> {
  const all = db.selectFrom('notification_targets').selectAll().orderBy('created_at').orderBy('id')
  return (
    'projectId' in owner
      ? all.where('project_id', '=', owner.projectId)
      : all.where('org_id', '=', owner.orgId)
  ).execute()
}

export async function findTarget(
  db: Db,
  owner: TargetOwner,
  id: string,
): Promise<NotificationTargetRow | undefined> {
  return (await listTargets(db, owner)).find(row => row.id === id)
}

/** The project's own targets and those of its org. */
export const targetsOfProject = (db: Db, projectId: string): Promise<NotificationTargetRow[]> =>
  db
    .selectFrom('notification_targets')
    .selectAll()
    .where(eb =>
      eb.or([
        eb('project_id', '=', projectId),
        eb('org_id', '=', eb.selectFrom('projects').select('org_id').where('id', '=', projectId)),
      ]),
    )
    .execute()

/** A target with the account or org that its emails count for. */
export const findTargetWithOwner = (db: Db, id: string) =>
  db
    .selectFrom('notification_targets')
    .leftJoin('projects', 'projects.id', 'notification_targets.project_id')
    .selectAll('notification_targets')
    .select(eb => [
      'projects.account_id as owner_account',
      eb.fn.coalesce('notification_targets.org_id', 'projects.org_id').as('owner_org'),
    ])
    .where('notification_targets.id', '=', id)
    .executeTakeFirst()

export async function insertTarget(tx: Tx, row: NotificationTargetRow, secret?: Sealed): Promise<void> {
  await tx.insertInto('notification_targets').values(row).execute()
  if (secret)
    await tx
      .insertInto('notification_secrets')
      .values({ target_id: row.id, ...secret })
      .execute()
}

export const findSecret = (db: Db, targetId: string): Promise<NotificationSecretRow | undefined> =>
  db.selectFrom('notification_secrets').selectAll().where('target_id', '=', targetId).executeTakeFirst()

export async function updateTarget(
  tx: Tx,
  { id, events, address, include_logs }: NotificationTargetRow,
): Promise<void> {
  await tx
    .updateTable('notification_targets')
    .set({ events, address, include_logs })
    .where('id', '=', id)
    .execute()
}

export async function deleteTarget(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('notification_targets').where('id', '=', id).execute()
}
