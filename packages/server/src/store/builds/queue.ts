// The order of queued builds: round-robin between owners, and between the projects of one owner, so that many builds of one
// of them do not block the others.
import { dayMs } from '@svc/contract/durations'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../store.ts'
import type { BuildRow, Tables } from '../tables.ts'

/** Builds of this time count for the order. */
const memoryMs = dayMs

const ownerOf = sql<string>`coalesce(projects.org_id, projects.account_id)`

/** A project builds one at a time. */
const projectIsBuilding = ({ exists, selectFrom }: ExpressionBuilder<Tables, 'builds'>) =>
  exists(
    selectFrom('builds as running')
      .select('running.id')
      .whereRef('running.project_id', '=', 'builds.project_id')
      .where('running.status', '=', 'building'),
  )

/** After a failure of the storage, a build waits. Later builds of its branch wait for it, so that the latest one goes live last. */
const branchIsWaiting = ({ exists, selectFrom }: ExpressionBuilder<Tables, 'builds'>, now: number) =>
  exists(
    selectFrom('builds as waits')
      .select('waits.id')
      .whereRef('waits.project_id', '=', 'builds.project_id')
      .whereRef('waits.branch', '=', 'builds.branch')
      .where('waits.status', '=', 'queued')
      .where('waits.retry_at', '>', now),
  )

/** When a build of each project began last. */
const begunSince = (db: Db, since: number) =>
  db
    .selectFrom('builds')
    .innerJoin('projects', 'projects.id', 'builds.project_id')
    .select(['builds.project_id', ownerOf.as('owner')])
    .select(({ fn }) => fn.max('builds.started_at').as('at'))
    .where('builds.status', 'in', ['building', 'succeeded', 'failed', 'cancelled'])
    .where('builds.created_at', '>', since)
    .where('builds.started_at', 'is not', null)
    .groupBy(['builds.project_id', 'owner'])

/** In each round every owner has one turn: the one whose last build began the longest ago comes first. */
function queueInOrder(db: Db, { now, onlyReady }: { now: number; onlyReady: boolean }) {
  return db
    .with('project_begun', () => begunSince(db, now - memoryMs))
    .with('owner_begun', cte =>
      cte
        .selectFrom('project_begun')
        .select('owner')
        .select(({ fn }) => fn.max('at').as('at'))
        .groupBy('owner'),
    )
    .with('waiting', cte =>
      cte
        .selectFrom('builds')
        .innerJoin('projects', 'projects.id', 'builds.project_id')
        .leftJoin('project_begun', 'project_begun.project_id', 'builds.project_id')
        .select(['builds.id', 'builds.created_at', ownerOf.as('owner')])
        .select(sql<number>`coalesce(project_begun.at, 0)`.as('project_last'))
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over(ob => ob.partitionBy('builds.project_id').orderBy('builds.created_at').orderBy('builds.id'))
            .as('project_round'),
        )
        .where('builds.status', '=', 'queued')
        .$if(onlyReady, query =>
          query.where(eb => eb.not(eb.or([projectIsBuilding(eb), branchIsWaiting(eb, now)]))),
        ),
    )
    .with('in_rounds', cte =>
      cte
        .selectFrom('waiting')
        .leftJoin('owner_begun', 'owner_begun.owner', 'waiting.owner')
        .select(['waiting.id', 'waiting.created_at'])
        .select(sql<number>`coalesce(owner_begun.at, 0)`.as('owner_last'))
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over(ob =>
              ob
                .partitionBy('waiting.owner')
                .orderBy('project_round')
                .orderBy('project_last')
                .orderBy('waiting.created_at')
                .orderBy('waiting.id'),
            )
            .as('owner_round'),
        ),
    )
    .with('in_order', cte =>
      cte
        .selectFrom('in_rounds')
        .select('id')
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over(ob => ob.orderBy('owner_round').orderBy('owner_last').orderBy('created_at').orderBy('id'))
            .as('position'),
        ),
    )
}

/** The places of queued builds in the queue of all projects, by their ids; 1 is the next one. */
export async function positionsInQueue(
  db: Db,
  ids: readonly string[],
  now: number,
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await queueInOrder(db, { now, onlyReady: false })
    .selectFrom('in_order')
    .selectAll()
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, position }) => [id, Number(position)]))
}

interface BuildClaim {
  nodeId: string
  now: number
  leaseUntil: number
}

/** Takes the next queued build. A project builds one at a time. */
export async function claimBuild(db: Db, claim: BuildClaim): Promise<BuildRow | undefined> {
  const next = await queueInOrder(db, { now: claim.now, onlyReady: true })
    .selectFrom('in_order')
    .innerJoin('builds', 'builds.id', 'in_order.id')
    .selectAll('builds')
    .where('in_order.position', '=', 1)
    .executeTakeFirst()
  if (!next) return undefined
  const taken = {
    status: 'building' as const,
    node_id: claim.nodeId,
    started_at: claim.now,
    lease_until: claim.leaseUntil,
    attempts: next.attempts + 1,
    retry_at: null,
  }
  const claimed = await db
    .updateTable('builds')
    .set(taken)
    .where('id', '=', next.id)
    .where('status', '=', 'queued')
    // Another builder may have begun another build of the project meanwhile.
    .where(eb => eb.not(projectIsBuilding(eb)))
    .executeTakeFirst()
  if (claimed.numUpdatedRows === 1n) return { ...next, ...taken }
  // Another builder claimed that build. Try the next.
  return await claimBuild(db, claim)
}
