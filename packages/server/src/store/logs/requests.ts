// The request log: adding rows, reading them in pages, deleting old ones.
import { sql } from 'kysely'
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { deletedAtOnce, deleteInBatches } from '../in-batches.ts'
import { olderThan } from '../pages.ts'
import { projectsAmong } from '../projects/projects.ts'
import type { Db, Tx } from '../store.ts'
import type { RequestRow } from '../tables.ts'

interface RequestFilter {
  /** The lowest and the highest status, both included. */
  status?: { from: number; to: number } | undefined
  /** In capitals. */
  method?: string | undefined
  /** In lower case. Without a port, it stands for every port. */
  host?: string | undefined
  /** The beginning of the path. */
  path?: string | undefined
  deployment?: string | undefined
  /** The id in `X-Svc-Request-Id`. */
  request?: string | undefined
  /** In milliseconds: newer than `since`, older than `until`. */
  since?: number | undefined
  until?: number | undefined
}

/** Rows of one statement. */
const atOnce = 50

/** Rows of deleted projects are left out. */
export async function insertRequests(tx: Tx, rows: readonly RequestRow[]): Promise<void> {
  const there = await projectsAmong(tx, [...new Set(rows.map(row => row.project_id))])
  const kept = rows.filter(row => there.has(row.project_id))
  for (let at = 0; at < kept.length; at += atOnce)
    await tx
      .insertInto('requests')
      .values(kept.slice(at, at + atOnce))
      .execute()
}

const within = (db: Db, projectId: string, { since, until }: RequestFilter) =>
  db
    .selectFrom('requests')
    .where('project_id', '=', projectId)
    .$if(since !== undefined, query => query.where('created_at', '>', since!))
    .$if(until !== undefined, query => query.where('created_at', '<', until!))

/** Compares letter by letter: in `LIKE`, `_` and `%` of a path would stand for other letters. */
const beginsWith = (column: 'host' | 'path', text: string) =>
  sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit([...text].length)}) = ${text}`

/** Newest first. Looks through the rows of one project, of which there are about 10,000 at most (see `trimRequests`). */
export async function listRequests(db: Db, projectId: string, filter: RequestFilter, page: PageRequest) {
  const { status, method, host, path, deployment, request } = filter
  const rows = await within(db, projectId, filter)
    .selectAll()
    .where(olderThan('requests', page))
    .$if(status !== undefined, query =>
      query.where('status', '>=', status!.from).where('status', '<=', status!.to),
    )
    .$if(method !== undefined, query => query.where(sql<boolean>`upper(method) = ${method}`))
    .$if(host !== undefined, query =>
      query.where(({ or, eb }) => or([eb('host', '=', host!), beginsWith('host', `${host}:`)])),
    )
    .$if(path !== undefined, query => query.where(beginsWith('path', path!)))
    .$if(deployment !== undefined, query => query.where('deployment_id', '=', deployment!))
    .$if(request !== undefined, query => query.where('request_id', '=', request!))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

/** Whether some requests in the time range of `filter` were not recorded, because there were too many. */
export async function isSampled(db: Db, projectId: string, filter: RequestFilter): Promise<boolean> {
  const row = await within(db, projectId, filter)
    .select('id')
    .where('left_out', '>', 0)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Keeps the newest `keep` errors (4xx and 5xx) and the newest `keep` other requests of a project. */
export async function trimRequests(tx: Tx, projectId: string, keep: number): Promise<void> {
  for (const comparison of ['>=', '<'] as const) {
    const last = await tx
      .selectFrom('requests')
      .select(['created_at', 'id'])
      .where('project_id', '=', projectId)
      .where('status', comparison, 400)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .offset(keep)
      .limit(1)
      .executeTakeFirst()
    if (last)
      await tx
        .deleteFrom('requests')
        .where('project_id', '=', projectId)
        .where('status', comparison, 400)
        .where(sql<boolean>`(created_at, id) <= (${last.created_at}, ${last.id})`)
        .execute()
  }
}

export async function deleteOldRequests(db: Db, before: number): Promise<void> {
  await deleteInBatches(() =>
    db
      .deleteFrom('requests')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('project_id', 'created_at', 'id'),
          'in',
          selectFrom('requests')
            .select(['project_id', 'created_at', 'id'])
            .where('created_at', '<', before)
            .limit(deletedAtOnce)
            .$asTuple('project_id', 'created_at', 'id'),
        ),
      )
      .executeTakeFirst(),
  )
}
