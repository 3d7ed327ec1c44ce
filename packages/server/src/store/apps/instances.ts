// Instances of server apps. Every move from one state to the next is a compare and swap.
import { sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { AppInstanceRow } from '../tables.ts'

type State = AppInstanceRow['state']

/** Written into the statement: so SQLite knows that an index of the active ones, or of the ended ones, has them all. */
const ended = sql.lit<'ended'>('ended')

/** States in which an instance is, or will soon be, of use to visitors. */
export const usable = ['wanted', 'starting', 'ready'] as const

/** Returns false if one is being started already. */
export async function insertInstance(db: Db, row: AppInstanceRow): Promise<boolean> {
  const inserted = await db
    .insertInto('app_instances')
    .values(row)
    .onConflict(c => c.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** Those of a deployment that have not ended, newest first. */
export const findActive = prepared((db, deploymentId: string) =>
  db
    .selectFrom('app_instances')
    .selectAll()
    .where('deployment_id', '=', deploymentId)
    .where('state', '<>', ended)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
)

/** The one that ended last. */
export const findLastEnded = prepared((db, deploymentId: string) =>
  db
    .selectFrom('app_instances')
    .selectAll()
    .where('deployment_id', '=', deploymentId)
    .where('state', '=', 'ended')
    .orderBy('ended_at', 'desc')
    .orderBy('created_at', 'desc')
    .limit(1),
)

export const findInstance = (db: Db, id: string): Promise<AppInstanceRow | undefined> =>
  db.selectFrom('app_instances').selectAll().where('id', '=', id).executeTakeFirst()

/** Moves it on. Returns false if it is in none of the states `from`, or gone. */
export async function moveInstance(
  db: Db,
  id: string,
  from: readonly State[],
  to: Partial<AppInstanceRow> & { state: State },
): Promise<boolean> {
  const moved = await db
    .updateTable('app_instances')
    .set(to)
    .where('id', '=', id)
    .where('state', 'in', from)
    .executeTakeFirst()
  return moved.numUpdatedRows === 1n
}

/** The active instances of a node, and those that no node has claimed yet. */
export const listActive = prepared((db, nodeId: string) =>
  db
    .selectFrom('app_instances')
    .innerJoin('deployments', 'deployments.id', 'app_instances.deployment_id')
    .selectAll('app_instances')
    .select('deployments.status as deployment_status')
    .where('app_instances.state', '<>', ended)
    .where(eb => eb.or([eb('app_instances.node_id', '=', nodeId), eb('app_instances.node_id', 'is', null)]))
    .orderBy('app_instances.created_at'),
)

/** Drains the other ready instances of its deployment on its node. */
export async function drainOthers(
  tx: Tx,
  { id, deployment_id, node_id }: AppInstanceRow,
  now: number,
): Promise<void> {
  await tx
    .updateTable('app_instances')
    .set({ state: 'draining', draining_at: now })
    .where('state', '=', 'ready')
    .where('deployment_id', '=', deployment_id)
    .where('node_id', '=', node_id)
    .where('id', '<>', id)
    .execute()
}

/** Drains an instance that was not used since the given time. Returns false if it was used. */
export async function drainIdle(tx: Tx, id: string, usedBefore: number, now: number): Promise<boolean> {
  const drained = await tx
    .updateTable('app_instances')
    .set({ state: 'draining', draining_at: now })
    .where('id', '=', id)
    .where('state', '=', 'ready')
    .where('used_at', '<', usedBefore)
    .executeTakeFirst()
  return drained.numUpdatedRows === 1n
}

export async function noteUse(db: Db, ids: string[], now: number): Promise<void> {
  await db
    .updateTable('app_instances')
    .set({ used_at: now })
    .where('id', 'in', ids)
    .where('state', 'in', ['ready', 'draining'])
    .execute()
}

/** Ends all instances of a node when it starts or stops. Returns their deployments. */
export async function endAllOf(
  tx: Tx,
  nodeId: string,
  outcome: 'lost' | 'stopped',
  now: number,
): Promise<string[]> {
  const endedNow = await tx
    .updateTable('app_instances')
    .set({ state: 'ended', outcome, ended_at: now })
    .where('node_id', '=', nodeId)
    .where('state', '<>', ended)
    .returning('deployment_id')
    .execute()
  return [...new Set(endedNow.map(row => row.deployment_id))]
}

/** Ends all instances of a project, on every node. Their runners stop them. Returns their deployments. */
export async function endAllOfProject(tx: Tx, projectId: string, now: number): Promise<string[]> {
  const endedNow = await tx
    .updateTable('app_instances')
    .set({ state: 'ended', outcome: 'stopped', ended_at: now })
    .where('project_id', '=', projectId)
    .where('state', '<>', ended)
    .returning('deployment_id')
    .execute()
  return [...new Set(endedNow.map(row => row.deployment_id))]
}

/** Ends starts of other nodes, or of none, that are older than the given time. Returns their deployments. */
export async function endForgottenStarts(
  tx: Tx,
  nodeId: string,
  askedBefore: number,
  now: number,
): Promise<string[]> {
  const endedNow = await tx
    .updateTable('app_instances')
    .set({ state: 'ended', outcome: 'lost', ended_at: now })
    .where('state', '<>', ended)
    .where('state', 'in', ['wanted', 'starting'])
    .where(eb => eb.or([eb('node_id', '<>', nodeId), eb('node_id', 'is', null)]))
    .where('created_at', '<', askedBefore)
    .where('not_before', '<', askedBefore)
    .returning('deployment_id')
    .execute()
  return endedNow.map(row => row.deployment_id)
}

/** Old records; the latest of each deployment stays as long as the deployment does. */
export async function deleteOldInstances(db: Db, endedBefore: number): Promise<void> {
  await db
    .deleteFrom('app_instances')
    .where('state', '=', ended)
    .where('ended_at', '<', endedBefore)
    .where(eb =>
      eb.exists(
        eb
          .selectFrom('app_instances as later')
          .select('later.id')
          .whereRef('later.deployment_id', '=', 'app_instances.deployment_id')
          .whereRef('later.created_at', '>', 'app_instances.created_at'),
      ),
    )
    .execute()
}

/** What is needed to start an instance, except the variables. `undefined` if the deployment is gone. */
export const findStart = prepared((db, deploymentId: string) =>
  db
    .selectFrom('deployments')
    .innerJoin('projects', 'projects.id', 'deployments.project_id')
    .select([
      'deployments.id',
      'projects.id as project_id',
      'projects.name as project',
      'projects.active_deployment_id',
      'deployments.git_branch',
      'deployments.framework',
      'deployments.start_command',
      'deployments.from_fork',
      'deployments.node_asked',
      'deployments.node_version',
      'deployments.image',
      'deployments.release_command',
      'deployments.seed_command',
      'deployments.released_at',
    ])
    .where('deployments.id', '=', deploymentId),
)

/** Deployments of a project that have something running. */
export async function runningDeployments(db: Db, projectId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('app_instances')
    .select('deployment_id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('state', 'in', usable)
    .execute()
  return rows.map(row => row.deployment_id)
}

export async function countInstances(db: Db): Promise<{ state: string; count: number }[]> {
  const rows = await db
    .selectFrom('app_instances')
    .select(eb => ['state', eb.fn.countAll().as('count')])
    .where('state', '<>', ended)
    .groupBy('state')
    .execute()
  return rows.map(({ state, count }) => ({ state, count: Number(count) }))
}

/** The live servers of all projects but shares and suspended ones, with their owners; the oldest projects first. */
export const listLiveServers = (db: Db) =>
  db
    .selectFrom('projects')
    .innerJoin('deployments', 'deployments.id', 'projects.active_deployment_id')
    .select(['projects.id as project_id', 'projects.account_id', 'projects.org_id', 'deployments.id'])
    .where('deployments.kind', '=', 'server')
    .where('projects.expires_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('suspensions')
            .select('suspensions.id')
            .where(eb =>
              eb.or([
                eb('suspensions.id', '=', eb.ref('projects.id')),
                eb('suspensions.id', '=', eb.ref('projects.account_id')),
                eb('suspensions.id', '=', eb.ref('projects.org_id')),
              ]),
            ),
        ),
      ),
    )
    .orderBy('projects.created_at')
    .orderBy('projects.id')
    .execute()

export async function setUsage(
  tx: Tx,
  id: string,
  usage: Pick<AppInstanceRow, 'memory_bytes' | 'cpu_millicores'>,
): Promise<void> {
  await tx.updateTable('app_instances').set(usage).where('id', '=', id).execute()
}
