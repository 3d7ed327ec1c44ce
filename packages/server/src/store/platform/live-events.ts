// Finds the projects and workspaces that changes belong to, and the workspaces that a token may read.
import type { LiveEvent } from '@svc/contract'
import { prepared } from '../prepared.ts'
import type { Db } from '../store.ts'

interface NotedChange {
  topic: LiveEvent['topic']
  key: string
}

/** A change with the workspace that sees it: the id of an account or an org. */
export interface WorkspaceChange extends LiveEvent {
  workspace: string
}

type Topic = Exclude<LiveEvent['topic'], 'workspace'>

const owned = (db: Db) => db.selectFrom('projects').select(['projects.name', 'account_id', 'org_id'])

/** How the key of a change leads to its project. */
const lookups = {
  project: (db, keys) => owned(db).select('projects.name as key').where('projects.name', 'in', keys),
  cron: (db, keys) => owned(db).select('projects.name as key').where('projects.name', 'in', keys),
  deployment: (db, keys) => deploymentsAmong(db, keys),
  app: (db, keys) => deploymentsAmong(db, keys),
  build: (db, keys) =>
    owned(db)
      .innerJoin('builds', 'builds.project_id', 'projects.id')
      .select('builds.id as key')
      .where('builds.id', 'in', keys),
  domain: (db, keys) =>
    owned(db)
      .innerJoin('domains', 'domains.project_id', 'projects.id')
      .select('domains.domain as key')
      .where('domains.domain', 'in', keys),
} satisfies Record<Topic, (db: Db, keys: string[]) => unknown>

const deploymentsAmong = (db: Db, keys: string[]) =>
  owned(db)
    .innerJoin('deployments', 'deployments.project_id', 'projects.id')
    .select('deployments.id as key')
    .where('deployments.id', 'in', keys)

/** Leaves out what belongs to no project any more. */
export async function findChanged(db: Db, changes: readonly NotedChange[]): Promise<WorkspaceChange[]> {
  const found: WorkspaceChange[] = changes.flatMap(({ topic, key }) =>
    topic === 'workspace' ? { topic, workspace: key, project: null, id: null } : [],
  )
  for (const topic of Object.keys(lookups) as Topic[]) {
    const keys = changes.flatMap(change => (change.topic === topic ? change.key : []))
    if (keys.length === 0) continue
    for (const { name, account_id, org_id, key } of await lookups[topic](db, keys).execute()) {
      const workspace = org_id ?? account_id
      if (workspace) found.push({ topic, workspace, project: name, id: key === name ? null : key })
    }
  }
  return found
}

const workspaceRows = prepared((db, tokenId: string, now: number) =>
  db
    .selectFrom('tokens')
    .innerJoin('accounts', 'accounts.id', 'tokens.account_id')
    .leftJoin('members', 'members.account_id', 'tokens.account_id')
    .select(['tokens.account_id', 'members.org_id'])
    .where('tokens.id', '=', tokenId)
    .where('tokens.revoked_at', 'is', null)
    .where('accounts.disabled_at', 'is', null)
    .where(eb => eb.or([eb('tokens.expires_at', 'is', null), eb('tokens.expires_at', '>', now)])),
)

/** The ids of the account of a token and of its orgs. Empty if the token does not work any more. */
export async function readableWorkspaces(db: Db, tokenId: string, now: number): Promise<Set<string>> {
  const { rows } = await workspaceRows(db, tokenId, now)
  return new Set(rows.flatMap(row => [row.account_id, ...(row.org_id ? [row.org_id] : [])]))
}
