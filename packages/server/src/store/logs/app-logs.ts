// What the log of a project needs to know of its deployments and instances.
import type { ExpressionBuilder } from 'kysely'
import type { Db } from '../store.ts'
import type { ProjectRow, Tables } from '../tables.ts'

/** Whose log it is: that of production, or that of a branch's previews. */
export interface LogPlace {
  projectId: string
  branch: string | undefined
}

/** A deployment of a branch that was promoted has been live since. Before that, it is none of production's. */
const wasOrIsProduction = (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.or([
    eb('deployments.status', 'in', ['live', 'superseded']),
    eb.and([eb('deployments.status', '<>', 'branch'), eb('deployments.branch_slug', 'is', null)]),
  ])

const isAt =
  ({ branch }: LogPlace) =>
  (eb: ExpressionBuilder<Tables, 'deployments'>) =>
    branch === undefined
      ? wasOrIsProduction(eb)
      : eb.and([eb('deployments.git_branch', '=', branch), eb('deployments.branch_slug', 'is not', null)])

const instancesAt = (db: Db, place: LogPlace) =>
  db
    .selectFrom('app_instances')
    .innerJoin('deployments', 'deployments.id', 'app_instances.deployment_id')
    .where('app_instances.project_id', '=', place.projectId)
    .where(isAt(place))

/** The instance that ended last. */
export const findLastStop = (db: Db, place: LogPlace) =>
  instancesAt(db, place)
    .select(['app_instances.ended_at', 'app_instances.node_id'])
    .where('app_instances.state', '=', 'ended')
    .orderBy('app_instances.ended_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Where instances run, or ran until then. */
export async function findLogNodes(db: Db, place: LogPlace, endedSince: number): Promise<string[]> {
  const rows = await instancesAt(db, place)
    .select('app_instances.node_id')
    .distinct()
    .where(eb =>
      eb.or([eb('app_instances.state', '<>', 'ended'), eb('app_instances.ended_at', '>=', endedSince)]),
    )
    .execute()
  return rows.flatMap(row => row.node_id ?? [])
}

/** The newest deployments whose lines the log has, and the one that is live. */
export async function loggedDeployments(
  db: Db,
  place: LogPlace,
  { active_deployment_id: live }: Pick<ProjectRow, 'active_deployment_id'>,
  limit: number,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', place.projectId)
    .where(isAt(place))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  const ids = new Set(rows.map(row => row.id))
  return live && place.branch === undefined ? ids.add(live) : ids
}

/** The newest deployment of a branch, whatever became of it. */
export const newestDeploymentOf = (db: Db, projectId: string, branch: string) =>
  db
    .selectFrom('deployments')
    .select(['id', 'kind', 'branch_slug'])
    .where('project_id', '=', projectId)
    .where('git_branch', '=', branch)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
