// The list of projects: one query for a page, since each further one costs as much as the rows that it finds.
import { type AliasedSelectQueryBuilder, type InferResult, type RawBuilder, sql } from 'kysely'
import { invalidCursor, type PageRequest, pageBy } from '../../lib/page.ts'
import { prepared } from '../prepared.ts'
import type { Db } from '../store.ts'
import { byActivity } from './activity.ts'

/** Finds names that contain all words of the text, in this order. Names have no capitals. */
const patternOf = (text: string): string =>
  `%${text
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')
    .replace(/\s+/g, '%')}%`

const newest = (table: 'builds' | 'deployments', project: RawBuilder<string>) => sql<string | null>`(
  select newest.id from ${sql.table(table)} as newest where newest.project_id = ${project}
  order by newest.created_at desc, newest.id desc limit 1)`

const primaryDomain = (project: RawBuilder<string>) => sql<string | null>`(
  select domain from domains where domains.project_id = ${project} and is_primary = 1 limit 1)`

/** The keys of what is looked up for a project, which has this id. */
const keysOf = (project: RawBuilder<string>) => [
  newest('deployments', project).as('last_id'),
  newest('builds', project).as('build_id'),
  primaryDomain(project).as('primary_domain'),
]

const projectsWithKeys = (db: Db) =>
  db
    .selectFrom('projects')
    .selectAll('projects')
    .select(keysOf(sql.ref('projects.id')))

type Page = AliasedSelectQueryBuilder<InferResult<ReturnType<typeof projectsWithKeys>>[number], 'page'>

const isCertified = sql<number | null>`case when certificates.name is null then null
  when certificates.chain is null then 0 else 1 end`

/** The projects of `page`, with what `viewer` is shown of each. */
const withFacts = (db: Db, viewer: string, page: Page) =>
  db
    .selectFrom(page)
    .leftJoin('orgs', 'orgs.id', 'page.org_id')
    .leftJoin('deployments as live', 'live.id', 'page.active_deployment_id')
    .leftJoin('deployments as last', 'last.id', 'page.last_id')
    .leftJoin('accounts', 'accounts.id', 'last.created_by')
    .leftJoin('builds as build', 'build.id', 'page.build_id')
    .leftJoin('certificates', 'certificates.name', 'page.primary_domain')
    .leftJoin('project_pictures as picture', 'picture.project_id', 'page.id')
    .leftJoin('stars', join =>
      join.onRef('stars.project_id', '=', 'page.id').on('stars.account_id', '=', viewer),
    )
    .selectAll('page')
    .select([
      'orgs.name as org_name',
      'live.kind as live_kind',
      'last.status as last_status',
      'last.created_at as last_at',
      'last.git_branch as last_branch',
      'last.error as last_error',
      'accounts.login as last_by',
      'build.status as build_status',
      'build.created_at as build_at',
      'build.branch as build_branch',
      'picture.hash as picture',
      'stars.project_id as star',
      isCertified.as('is_certified'),
    ])

type ProjectOrder = 'created' | 'activity' | 'name'
type Owner = 'account_id' | 'org_id'

/** The projects of an owner with the words in their names. */
const isFound = (owner: Owner, ownerId: string, pattern: string) =>
  sql<boolean>`${sql.ref(`projects.${owner}`)} = ${ownerId} and projects.expires_at is null
    and projects.name like ${pattern} escape '\\'`

/** Where a page begins: after the project that is starred or not, has this place, and has this id. */
type Place = [unstarred: number, place: number | string, id: string]
/** `from` is where the projects without a star begin. */
type From = [place: number | string, id: string]
type Arguments = [
  viewer: string,
  ownerId: string,
  pattern: string,
  ...after: Place,
  ...from: From,
  limit: number,
]
type Read = (db: Db, ...args: Arguments) => Promise<{ rows: ListedRow[] }>

/** Newest first, which an index has ready. */
const newestFirst = (owner: Owner): Read =>
  prepared<Arguments, ListedRow>(
    (db, viewer, ownerId, pattern, _unstarred, place, id, _place, _id, limit) => {
      const page = projectsWithKeys(db)
        .where(isFound(owner, ownerId, pattern))
        .where(sql<boolean>`(created_at, id) < (${place}, ${id})`)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
      return withFacts(db, viewer, page.as('page'))
        .orderBy('page.created_at', 'desc')
        .orderBy('page.id', 'desc')
    },
  )

/**
 * The projects that the viewer starred first, and then by `placeOf`, which an index has ready. They are read apart: the starred
 * ones, which are few, by the stars, and as many of the others as a page takes.
 */
const starredFirst = (owner: Owner, placeOf: RawBuilder<number | string>): Read =>
  prepared<Arguments, ListedRow>(
    (db, viewer, ownerId, pattern, unstarred, place, id, fromPlace, fromId, limit) => {
      // A cross join: SQLite begins with the table that it names first.
      const starred = db
        .selectFrom('stars')
        .crossJoin('projects')
        .where(isFound(owner, ownerId, pattern))
        .whereRef('projects.id', '=', 'stars.project_id')
        .where('stars.account_id', '=', viewer)
        .where(sql<boolean>`(0, ${placeOf}, projects.id) > (${unstarred}, ${place}, ${id})`)
        .selectAll('projects')
        .select([sql<number>`0`.as('unstarred'), placeOf.as('place')])
      const others = db
        .selectFrom('projects')
        .where(isFound(owner, ownerId, pattern))
        // The first of the two tells SQLite where to begin in the index.
        .where(sql<boolean>`${placeOf} >= ${fromPlace}`)
        .where(sql<boolean>`(${placeOf}, projects.id) > (${fromPlace}, ${fromId})`)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('stars')
                .select('stars.project_id')
                .whereRef('stars.project_id', '=', 'projects.id')
                .where('stars.account_id', '=', viewer),
            ),
          ),
        )
        .selectAll('projects')
        .select([sql<number>`1`.as('unstarred'), placeOf.as('place')])
        .orderBy(placeOf)
        .orderBy('projects.id')
        .limit(limit)
      const chosen = db
        .selectFrom(starred.unionAll(db.selectFrom(others.as('others')).selectAll()).as('both'))
        .selectAll()
        .orderBy('unstarred')
        .orderBy('place')
        .orderBy('id')
        .limit(limit)
        .as('chosen')
      const page = db
        .selectFrom(chosen)
        .selectAll()
        .select(keysOf(sql.ref('chosen.id')))
      return withFacts(db, viewer, page.as('page')).orderBy(sql`page.unstarred, page.place, page.id`)
    },
  )

interface Order {
  account_id: Read
  org_id: Read
  placeOf: (row: ListedRow) => number | string
  /** Comes before the place of every project. */
  beginning: number | string
}

const orders: Record<ProjectOrder, Order> = {
  created: {
    account_id: newestFirst('account_id'),
    org_id: newestFirst('org_id'),
    placeOf: row => row.created_at,
    beginning: Number.MAX_SAFE_INTEGER,
  },
  activity: {
    account_id: starredFirst('account_id', byActivity),
    org_id: starredFirst('org_id', byActivity),
    placeOf: row => -(row.active_at ?? row.created_at),
    beginning: Number.MIN_SAFE_INTEGER,
  },
  name: {
    account_id: starredFirst('account_id', sql`projects.name`),
    org_id: starredFirst('org_id', sql`projects.name`),
    placeOf: row => row.name,
    beginning: '',
  },
}

export interface ListRequest extends PageRequest {
  q?: string | undefined
  sort?: ProjectOrder | undefined
}

/** In the order of `sort`. With `q`, those with its words in their name. */
export async function listProjects(
  db: Db,
  viewer: string,
  of: { accountId: string } | { orgId: string },
  { q = '', sort = 'created', cursor, limit }: ListRequest,
) {
  const order = orders[sort]
  const [read, ownerId] = 'orgId' in of ? [order.org_id, of.orgId] : [order.account_id, of.accountId]
  const beginning: From = [order.beginning, '']
  const after: Place = cursor === undefined ? [-1, ...beginning] : placeIn(cursor, order)
  const [unstarred, ...place] = after
  const from = unstarred === 1 ? place : beginning
  const { rows } = await read(db, viewer, ownerId, patternOf(q), ...after, ...from, limit + 1)
  const cursorOf = (row: ListedRow) =>
    Buffer.from(`${row.star === null ? 1 : 0} ${order.placeOf(row)} ${row.id}`).toString('base64url')
  return pageBy(cursorOf, rows, limit)
}

/** The place of the last row of the page before. */
function placeIn(cursor: string, { beginning }: Order): Place {
  const isNumber = typeof beginning === 'number'
  const [, unstarred, place, id] =
    /^([01]) (-?[a-z0-9-]{1,100}) ([a-z0-9_]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (!unstarred || !place || !id || (isNumber && !/^-?\d{1,15}$/.test(place))) throw invalidCursor()
  return [Number(unstarred), isNumber ? Number(place) : place, id]
}

/** One project or share. */
export const listOne = prepared((db, viewer: string, id: string) =>
  withFacts(db, viewer, projectsWithKeys(db).where('projects.id', '=', id).as('page')),
)

export type ListedRow = Awaited<ReturnType<typeof listOne>>['rows'][number]
