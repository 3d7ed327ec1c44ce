// The list of projects: one query for a page, since each further one costs as much as the rows that it finds.
import { type AliasedSelectQueryBuilder, type InferResult, type RawBuilder, sql } from 'kysely'
import { invalidCursor, type PageRequest, pageBy } from '../../lib/page.ts'
import { prepared } from '../prepared.ts'
import type { Db } from '../store.ts'

/** Finds names that contain all words of the text, in this order. Names have no capitals. */
const patternOf = (text: string): string =>
  `%${text
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')
    .replace(/\s+/g, '%')}%`

const newest = (table: 'builds' | 'deployments') => sql<string | null>`(
  select newest.id from ${sql.table(table)} as newest where newest.project_id = projects.id
  order by newest.created_at desc, newest.id desc limit 1)`

/** Projects with the keys of what is looked up for them. */
const projectsWithKeys = (db: Db) =>
  db
    .selectFrom('projects')
    .selectAll('projects')
    .select(eb => [
      newest('deployments').as('last_id'),
      newest('builds').as('build_id'),
      eb
        .selectFrom('domains')
        .select('domains.domain')
        .whereRef('domains.project_id', '=', 'projects.id')
        .where('domains.is_primary', '=', 1)
        .limit(1)
        .as('primary_domain'),
    ])

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
const found = (db: Db, owner: Owner, ownerId: string, pattern: string) =>
  projectsWithKeys(db)
    .where(owner, '=', ownerId)
    .where('expires_at', 'is', null)
    .where(sql<boolean>`projects.name like ${pattern} escape '\\'`)

/** Where a project stands in an order: whether it has no star of the viewer, what it is ordered by, and its id. */
type Place = [unstarred: number, place: number | string, id: string]
type Arguments = [viewer: string, ownerId: string, pattern: string, ...after: Place, limit: number]
type Read = (db: Db, ...args: Arguments) => Promise<{ rows: ListedRow[] }>

/** Newest first, which an index has ready. */
const newestFirst = (owner: Owner): Read =>
  prepared<Arguments, ListedRow>((db, viewer, ownerId, pattern, _unstarred, place, id, limit) => {
    const page = found(db, owner, ownerId, pattern)
      .where(sql<boolean>`(created_at, id) < (${place}, ${id})`)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    return withFacts(db, viewer, page.as('page'))
      .orderBy('page.created_at', 'desc')
      .orderBy('page.id', 'desc')
  })

/** The projects that the viewer starred first, and then by `placeOf`. */
const starredFirst = (owner: Owner, placeOf: RawBuilder<number | string>): Read =>
  prepared<Arguments, ListedRow>((db, viewer, ownerId, pattern, unstarred, place, id, limit) => {
    const placed = found(db, owner, ownerId, pattern)
      .clearSelect()
      .select(['projects.id', isUnstarred(viewer).as('unstarred'), placeOf.as('place')])
    const chosen = db
      .selectFrom(placed.as('placed'))
      .selectAll()
      .where(sql<boolean>`(unstarred, place, id) > (${unstarred}, ${place}, ${id})`)
      .orderBy('unstarred')
      .orderBy('place')
      .orderBy('id')
      .limit(limit)
      .as('chosen')
    const page = projectsWithKeys(db)
      .innerJoin(chosen, 'chosen.id', 'projects.id')
      .select(['chosen.unstarred', 'chosen.place'])
    return withFacts(db, viewer, page.as('page')).orderBy(sql`page.unstarred, page.place, page.id`)
  })

const isUnstarred = (viewer: string) => sql<number>`(select 1 - count(*) from stars
  where stars.project_id = projects.id and stars.account_id = ${viewer})`

/** The last deployment or build, or the making of the project. Negative, since what was last comes first. */
const lastMove = sql<number>`-(select max(at) from (
  select projects.created_at as at
  union all select max(created_at) from deployments where project_id = projects.id
  union all select max(created_at) from builds where project_id = projects.id) as moves)`

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
    account_id: starredFirst('account_id', lastMove),
    org_id: starredFirst('org_id', lastMove),
    placeOf: row => -Math.max(row.created_at, row.last_at ?? 0, row.build_at ?? 0),
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
  const after: Place = cursor === undefined ? [-1, order.beginning, ''] : placeIn(cursor, order)
  const { rows } = await read(db, viewer, ownerId, patternOf(q), ...after, limit + 1)
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
