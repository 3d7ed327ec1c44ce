// What the log of a project needs to know of its deployments and instances.
import { prepared } from '../prepared.ts'
import type { Db } from '../store.ts'
import type { ProjectRow } from '../tables.ts'

/** The instance of a project that ended last, those of branches aside. */
export const findLastStop = prepared((db, projectId: string) =>
  db
    .selectFrom('app_instances')
    .innerJoin('deployments', 'deployments.id', 'app_instances.deployment_id')
    .select(['app_instances.ended_at', 'app_instances.node_id'])
    .where('app_instances.project_id', '=', projectId)
    .where('app_instances.state', '=', 'ended')
    .where('deployments.status', '<>', 'branch')
    .orderBy('app_instances.ended_at', 'desc')
    .limit(1),
)

/** Where instances of a project run, or ran until then; those of branches aside. */
export const findLogNodes = prepared((db, projectId: string, endedSince: number) =>
  db
    .selectFrom('app_instances')
    .innerJoin('deployments', 'deployments.id', 'app_instances.deployment_id')
    .select('app_instances.node_id')
    .distinct()
    .where('app_instances.project_id', '=', projectId)
    .where('deployments.status', '<>', 'branch')
    .where(eb =>
      eb.or([eb('app_instances.state', '<>', 'ended'), eb('app_instances.ended_at', '>=', endedSince)]),
    ),
)

/** Deployments that are or were meant for production, the newest of them and the one that is live. */
export async function productionDeployments(
  db: Db,
  { id, active_deployment_id: live }: Pick<ProjectRow, 'id' | 'active_deployment_id'>,
  limit: number,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', id)
    .where(eb =>
      // One of a branch was promoted if it is live or was; no other one of a branch is production's.
      eb.or([
        eb('status', 'in', ['live', 'superseded']),
        eb.and([eb('status', '<>', 'branch'), eb('branch_slug', 'is', null)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return new Set([...rows.map(row => row.id), ...(live ? [live] : [])])
}
