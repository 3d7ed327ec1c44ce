// The audit log's rows.
import { newSortedId } from '../../lib/ids.ts'
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { deletedAtOnce, deleteInBatches } from '../in-batches.ts'
import { olderThan } from '../pages.ts'
import type { Db } from '../store.ts'
import type { AuditRow } from '../tables.ts'

/** Entries that are kept of one project, of one organization with all its projects, and of one account. */
const keptAtMost = { project_id: 10_000, org_id: 50_000, account_id: 1_000 }

/** Adds an entry and returns its id. Deletes the oldest entries of a log that is full. */
export async function insertAudit(db: Db, entry: Omit<AuditRow, 'id'>, atMost = keptAtMost): Promise<string> {
  const id = newSortedId('aud')
  await db
    .insertInto('audit')
    .values({ id, ...entry })
    .execute()
  for (const column of ['project_id', 'org_id', 'account_id'] as const)
    if (entry[column] !== null) await deleteOldest(db, column, entry[column], atMost[column])
  return id
}

export const findAudit = (db: Db, id: string): Promise<AuditRow | undefined> =>
  db.selectFrom('audit').selectAll().where('id', '=', id).executeTakeFirst()

/** The index of the log ends the search after `atMost` entries; most logs have fewer. */
async function deleteOldest(
  db: Db,
  column: keyof typeof keptAtMost,
  id: string,
  atMost: number,
): Promise<void> {
  const oldestKept = db
    .selectFrom('audit')
    .select('created_at')
    .where(column, '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(atMost - 1)
  await db.deleteFrom('audit').where(column, '=', id).where('created_at', '<', oldestKept).execute()
}

/** Those from before that time, and those that nobody can read since their project is deleted. */
export async function deleteOldAudit(db: Db, before: number): Promise<void> {
  await deleteInBatches(() =>
    db
      .deleteFrom('audit')
      .where('id', 'in', eb =>
        eb
          .selectFrom('audit')
          .select('id')
          .where(({ eb, and, or }) =>
            or([
              eb('created_at', '<', before),
              and([eb('project_id', 'is', null), eb('org_id', 'is', null), eb('account_id', 'is', null)]),
            ]),
          )
          .limit(deletedAtOnce),
      )
      .executeTakeFirst(),
  )
}

/** With the name that the project has now, if there still is one. */
export type AuditWithProject = AuditRow & { project_name: string | null }

const withProject = (db: Db) =>
  db
    .selectFrom('audit')
    .leftJoin('projects', 'projects.id', 'audit.project_id')
    .selectAll('audit')
    .select('projects.name as project_name')
    .orderBy('audit.created_at', 'desc')
    .orderBy('audit.id', 'desc')

interface Recent {
  since: number
  limit: number
}

export const activityOfOrg = (
  db: Db,
  orgId: string,
  { since, limit, onlyProjects }: Recent & { onlyProjects: boolean },
): Promise<AuditWithProject[]> =>
  withProject(db)
    .where('audit.org_id', '=', orgId)
    .where('audit.created_at', '>=', since)
    .$if(onlyProjects, query => query.where('audit.project_id', 'is not', null))
    .limit(limit)
    .execute()

/** What happened in the personal projects of an account. */
export const activityOfAccount = (
  db: Db,
  accountId: string,
  { since, limit }: Recent,
): Promise<AuditWithProject[]> =>
  withProject(db)
    .where('audit.project_id', 'in', eb =>
      eb
        .selectFrom('projects as own')
        .select('own.id')
        .where('own.account_id', '=', accountId)
        .where('own.expires_at', 'is', null),
    )
    .where('audit.created_at', '>=', since)
    .limit(limit)
    .execute()

/** Whose log it is. An org's log holds what happened to its projects, too. */
export type AuditOwner = { projectId: string } | { orgId: string } | { accountId: string }

function columnOf(of: AuditOwner): ['audit.org_id' | 'audit.project_id' | 'audit.account_id', string] {
  if ('orgId' in of) return ['audit.org_id', of.orgId]
  return 'projectId' in of ? ['audit.project_id', of.projectId] : ['audit.account_id', of.accountId]
}

export async function listAudit(db: Db, of: AuditOwner, page: PageRequest) {
  const [column, id] = columnOf(of)
  const rows: AuditWithProject[] = await withProject(db)
    .where(column, '=', id)
    .where(olderThan('audit', page))
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

interface Portion {
  /** The id of the last entry before this portion. */
  after: string | undefined
  since: number
  limit: number
}

/** Entries of all logs, newest first. Ids are in the order of time. */
export const auditOfAll = (db: Db, { after, since, limit }: Portion) =>
  db
    .selectFrom('audit')
    .leftJoin('projects', 'projects.id', 'audit.project_id')
    .leftJoin('orgs', 'orgs.id', 'audit.org_id')
    .selectAll('audit')
    .select(['projects.name as project_name', 'orgs.name as org_name'])
    .$if(after !== undefined, query => query.where('audit.id', '<', after!))
    .where('audit.created_at', '>=', since)
    .orderBy('audit.id', 'desc')
    .limit(limit)
    .execute()
