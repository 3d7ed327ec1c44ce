// The list of projects: one query for a page, since each further one costs as much as the rows that it finds.
import { sql } from 'kysely'
import { type PageRequest, pageOf, positionOf } from '../../lib/page.ts'
import { prepared } from '../prepared.ts'
import type { Db } from '../store.ts'

/** Finds names that contain all words of the text, in this order. Names have no capitals. */
const patternOf = (text: string): string =>
  `%${text
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')
    .replace(/\s+/g, '%')}%`

/** Every project comes after it in the order of a list. */
const beginning = { created_at: Number.MAX_SAFE_INTEGER, id: '' }

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

const isCertified = sql<number | null>`case when certificates.name is null then null
  when certificates.chain is null then 0 else 1 end`

/** The projects of `page`, with what `viewer` is shown of each. */
const withFacts = (db: Db, viewer: string, page: ReturnType<typeof projectsWithKeys>) =>
  db
    .selectFrom(page.as('page'))
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
    .orderBy('page.created_at', 'desc')
    .orderBy('page.id', 'desc')

const pageOfOwner = (owner: 'account_id' | 'org_id') =>
  prepared(
    (db, viewer: string, ownerId: string, pattern: string, createdAt: number, id: string, limit: number) =>
      withFacts(
        db,
        viewer,
        projectsWithKeys(db)
          .where(owner, '=', ownerId)
          .where('expires_at', 'is', null)
          .where(sql<boolean>`projects.name like ${pattern} escape '\\'`)
          .where(sql<boolean>`(created_at, id) < (${createdAt}, ${id})`)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit),
      ),
  )

const ofAccount = pageOfOwner('account_id')
const ofOrg = pageOfOwner('org_id')

/** Newest first. With `q`, those with its words in their name. */
export async function listProjects(
  db: Db,
  viewer: string,
  owner: { accountId: string } | { orgId: string },
  { q = '', ...page }: PageRequest & { q?: string | undefined },
) {
  const { created_at, id } = page.cursor === undefined ? beginning : positionOf(page.cursor)
  const pattern = patternOf(q)
  const { rows } = await ('orgId' in owner
    ? ofOrg(db, viewer, owner.orgId, pattern, created_at, id, page.limit + 1)
    : ofAccount(db, viewer, owner.accountId, pattern, created_at, id, page.limit + 1))
  return pageOf(rows, page.limit)
}

/** One project or share. */
export const listOne = prepared((db, viewer: string, id: string) =>
  withFacts(db, viewer, projectsWithKeys(db).where('projects.id', '=', id)),
)

export type ListedRow = Awaited<ReturnType<typeof listOne>>['rows'][number]
