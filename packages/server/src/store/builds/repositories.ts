// Repositories, their branches, and which projects build from them.
import type { Role } from '@svc/contract'
import type { Db, Tx } from '../store.ts'
import type { ProjectRepoRow, RepositoryBranchRow, RepositoryRow } from '../tables.ts'

type RepositoryOwner = { accountId: string } | { orgId: string }

const ownerColumn = (owner: RepositoryOwner) =>
  'orgId' in owner ? (['org_id', owner.orgId] as const) : (['account_id', owner.accountId] as const)

export const findRepository = (
  db: Db,
  owner: RepositoryOwner,
  name: string,
): Promise<RepositoryRow | undefined> =>
  db
    .selectFrom('repositories')
    .selectAll()
    .where(...equals(ownerColumn(owner)))
    .where('name', '=', name)
    .executeTakeFirst()

const equals = <C, V>([column, value]: readonly [C, V]) => [column, '=', value] as const

export async function countRepositories(db: Db, owner: RepositoryOwner): Promise<number> {
  const row = await db
    .selectFrom('repositories')
    .select(eb => eb.fn.countAll().as('count'))
    .where(...equals(ownerColumn(owner)))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export type RepositoryOfOwner = RepositoryRow & {
  /** Null for a repository of the account itself. */
  org_name: string | null
  role: Role | null
  /** The projects that build from it. */
  projects: string[]
}

/** The repositories of the account and of its orgs in the built-in forge. */
export async function listRepositories(db: Db, accountId: string): Promise<RepositoryOfOwner[]> {
  const rows = await db
    .selectFrom('repositories')
    .leftJoin('orgs', 'orgs.id', 'repositories.org_id')
    .leftJoin('members', join =>
      join.onRef('members.org_id', '=', 'repositories.org_id').on('members.account_id', '=', accountId),
    )
    .selectAll('repositories')
    .select(['orgs.name as org_name', 'members.role'])
    .where(eb =>
      eb.or([eb('repositories.account_id', '=', accountId), eb('members.account_id', '=', accountId)]),
    )
    .orderBy('repositories.created_at', 'desc')
    .execute()
  const projects = await db
    .selectFrom('project_repos')
    .innerJoin('projects', 'projects.id', 'project_repos.project_id')
    .innerJoin('repositories', 'repositories.id', 'project_repos.repository_id')
    .leftJoin('members', join =>
      join.onRef('members.org_id', '=', 'repositories.org_id').on('members.account_id', '=', accountId),
    )
    .select(['project_repos.repository_id', 'projects.name'])
    .where(eb =>
      eb.or([eb('repositories.account_id', '=', accountId), eb('members.account_id', '=', accountId)]),
    )
    .orderBy('projects.name')
    .execute()
  const byRepository = new Map<string, string[]>(rows.map(row => [row.id, []]))
  for (const { repository_id: id, name } of projects) byRepository.get(id ?? '')?.push(name)
  return rows.map(row => ({ ...row, projects: byRepository.get(row.id) ?? [] }))
}

export async function ownerOfRepository(db: Db, id: string): Promise<string | undefined> {
  const row = await findRepositoryById(db, id)
  return row?.account_id ?? row?.org_id ?? undefined
}

/** Does nothing where another request was faster. */
export async function insertRepository(db: Db, row: RepositoryRow): Promise<void> {
  await db
    .insertInto('repositories')
    .values(row)
    .onConflict(c => c.doNothing())
    .execute()
}

export const findRepositoryById = (db: Db, id: string): Promise<RepositoryRow | undefined> =>
  db.selectFrom('repositories').selectAll().where('id', '=', id).executeTakeFirst()

/** Locks the repository until the transaction ends, as `lockProject` does. Returns false if it is gone. */
export async function lockRepository(tx: Tx, id: string): Promise<boolean> {
  const locked = await tx
    .updateTable('repositories')
    .set(eb => ({ name: eb.ref('name') }))
    .where('id', '=', id)
    .executeTakeFirst()
  return locked.numUpdatedRows === 1n
}

/** Also disconnects the projects that build from it. */
export async function deleteRepository(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('repositories').where('id', '=', id).execute()
}

/**
 * Takes the repositories from an owner that is deleted in this transaction. A sweep deletes them, one at a time: each may have
 * thousands of branches, and would hold up all other writers.
 */
export async function abandonRepositories(
  tx: Tx,
  owner: { accountId: string } | { orgId: string },
): Promise<void> {
  const [column, id] =
    'orgId' in owner ? (['org_id', owner.orgId] as const) : (['account_id', owner.accountId] as const)
  await tx
    .updateTable('repositories')
    .set({ [column]: null })
    .where(column, '=', id)
    .execute()
}

export async function abandonedRepositories(db: Db, atMost: number): Promise<string[]> {
  const rows = await db
    .selectFrom('repositories')
    .select('id')
    .where('account_id', 'is', null)
    .where('org_id', 'is', null)
    .where('github_id', 'is', null)
    .where('host', 'is', null)
    .limit(atMost)
    .execute()
  return rows.map(row => row.id)
}

export async function setStoredBytes(db: Db, id: string, bytes: number): Promise<void> {
  await db.updateTable('repositories').set({ stored_bytes: bytes }).where('id', '=', id).execute()
}

/** Called before a push. If svcd ends during the push, the next start compares the branches. */
export async function markBehind(db: Db, id: string, pushedBy: string): Promise<void> {
  await db
    .updateTable('repositories')
    .set({ is_behind: 1, pushed_by: pushedBy })
    .where('id', '=', id)
    .execute()
}

export async function markCaughtUp(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('repositories').set({ is_behind: 0 }).where('id', '=', id).execute()
}

export const repositoriesBehind = (db: Db): Promise<RepositoryRow[]> =>
  db.selectFrom('repositories').selectAll().where('is_behind', '=', 1).execute()

/** Databases limit how many values one query may have. */
const idsAtOnce = 1_000

/** Returns those of `ids` that still have a row. */
export async function repositoriesAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const some = ids.slice(at, at + idsAtOnce)
    for (const { id } of await db.selectFrom('repositories').select('id').where('id', 'in', some).execute())
      known.add(id)
  }
  return known
}

export const branchesOf = (db: Db, repositoryId: string): Promise<RepositoryBranchRow[]> =>
  db
    .selectFrom('repository_branches')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .orderBy('branch')
    .execute()

/** Saves all rows with one statement. The caller passes a bounded number of them. */
export async function saveBranches(tx: Tx, rows: readonly RepositoryBranchRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('repository_branches')
    .values(rows)
    .onConflict(c =>
      c
        .columns(['repository_id', 'branch'])
        .doUpdateSet(eb => ({ commit_sha: eb.ref('excluded.commit_sha') })),
    )
    .execute()
}

/** Compare and swap from the commit that was known (`undefined`: none). Returns false if another process was faster. */
export async function advanceBranch(
  tx: Tx,
  row: RepositoryBranchRow,
  from: string | undefined,
): Promise<boolean> {
  if (from === undefined) {
    const inserted = await tx
      .insertInto('repository_branches')
      .values(row)
      .onConflict(c => c.columns(['repository_id', 'branch']).doNothing())
      .executeTakeFirst()
    return inserted.numInsertedOrUpdatedRows === 1n
  }
  const moved = await tx
    .updateTable('repository_branches')
    .set({ commit_sha: row.commit_sha })
    .where('repository_id', '=', row.repository_id)
    .where('branch', '=', row.branch)
    .where('commit_sha', '=', from)
    .executeTakeFirst()
  return moved.numUpdatedRows === 1n
}

/** The commit of a branch for which builds were queued last. */
export async function knownCommit(db: Db, repositoryId: string, branch: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('repository_branches')
    .select('commit_sha')
    .where('repository_id', '=', repositoryId)
    .where('branch', '=', branch)
    .executeTakeFirst()
  return row?.commit_sha
}

export async function deleteBranches(
  tx: Tx,
  repositoryId: string,
  branches: readonly string[],
): Promise<void> {
  if (branches.length === 0) return
  await tx
    .deleteFrom('repository_branches')
    .where('repository_id', '=', repositoryId)
    .where('branch', 'in', branches)
    .execute()
}

export const findProjectRepo = (db: Db, projectId: string): Promise<ProjectRepoRow | undefined> =>
  db.selectFrom('project_repos').selectAll().where('project_id', '=', projectId).executeTakeFirst()

/** The repository that a project of the org has been connected to for the longest time. */
export const firstRepoOfOrg = (
  db: Db,
  orgId: string,
): Promise<Pick<ProjectRepoRow, 'repo' | 'installation_id' | 'host'> | undefined> =>
  db
    .selectFrom('project_repos')
    .innerJoin('projects', 'projects.id', 'project_repos.project_id')
    .select(['project_repos.repo', 'project_repos.installation_id', 'project_repos.host'])
    .where('projects.org_id', '=', orgId)
    .orderBy('project_repos.connected_at')
    .orderBy('project_repos.project_id')
    .limit(1)
    .executeTakeFirst()

export async function saveProjectRepo(tx: Tx, row: ProjectRepoRow): Promise<void> {
  await tx
    .insertInto('project_repos')
    .values(row)
    .onConflict(c => c.column('project_id').doUpdateSet(row))
    .execute()
}

export async function deleteProjectRepo(tx: Tx, projectId: string): Promise<boolean> {
  const deleted = await tx.deleteFrom('project_repos').where('project_id', '=', projectId).executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

/** The projects that build from a repository. */
export const connectedProjects = (db: Db, repositoryId: string) =>
  db
    .selectFrom('project_repos')
    .innerJoin('projects', 'projects.id', 'project_repos.project_id')
    .selectAll('project_repos')
    .select(['projects.name as project_name', 'projects.org_id as project_org_id'])
    .where('project_repos.repository_id', '=', repositoryId)
    .orderBy('projects.created_at')
    .execute()

export type ConnectedProject = Awaited<ReturnType<typeof connectedProjects>>[number]
