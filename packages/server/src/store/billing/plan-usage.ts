// How much an owner uses of the amounts that its plan limits.
import type { Db } from '../store.ts'

/** Exactly one of the two is set, as in a project's row. */
export interface Owner {
  account_id: string | null
  org_id: string | null
}

export const ownerId = (owner: Owner): string => owner.org_id ?? owner.account_id ?? ''

export const projectsOf = (db: Db, owner: Owner) =>
  db
    .selectFrom('projects')
    .where(owner.org_id === null ? 'projects.account_id' : 'projects.org_id', '=', ownerId(owner))

/** A deployment takes space besides its files: its index, its record, its disk blocks. */
export const bytesPerDeployment = 64 * 1024

/** Returns the bytes of all deployments whose files exist, including shares and interrupted uploads. */
export async function storedBytes(db: Db, owner: Owner, projectId?: string): Promise<number> {
  const { bytes, count } = await projectsOf(db, owner)
    .innerJoin('stored_totals', 'stored_totals.project_id', 'projects.id')
    .select(eb => [
      eb.fn.sum('stored_totals.bytes').as('bytes'),
      eb.fn.sum('stored_totals.deployments').as('count'),
    ])
    .$if(projectId !== undefined, query => query.where('projects.id', '=', projectId!))
    .executeTakeFirstOrThrow()
  const disks = await projectsOf(db, owner)
    .innerJoin('disks', 'disks.project_id', 'projects.id')
    .select(eb => eb.fn.sum('disks.size_bytes').as('bytes'))
    .where('disks.removed_at', 'is', null)
    .$if(projectId !== undefined, query => query.where('projects.id', '=', projectId!))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0) + Number(count ?? 0) * bytesPerDeployment + Number(disks.bytes ?? 0)
}

/** Returns the bytes of all form submissions in the owner's projects. */
export async function formBytes(db: Db, owner: Owner): Promise<number> {
  const { bytes } = await projectsOf(db, owner)
    .innerJoin('forms', 'forms.project_id', 'projects.id')
    .select(eb => eb.fn.sum('forms.stored_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** Unrevoked ones with another label: an org's, or an account's own. */
export async function countTokens(db: Db, owner: Owner, exceptLabel: string): Promise<number> {
  const { count } = await db
    .selectFrom('tokens')
    .select(eb => eb.fn.countAll().as('count'))
    .where(owner.org_id === null ? 'account_id' : 'org_id', '=', ownerId(owner))
    .$if(owner.org_id === null, query => query.where('org_id', 'is', null))
    .where('revoked_at', 'is', null)
    .where('label', '<>', exceptLabel)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export interface RunningApp {
  id: string
  deployment_id: string
  state: string
  used_at: number
}

const running = ['wanted', 'starting', 'ready'] as const

/** Instances of all its projects that run or are about to, the least recently used first. */
export const runningApps = (db: Db, owner: Owner): Promise<RunningApp[]> =>
  projectsOf(db, owner)
    .innerJoin('app_instances', 'app_instances.project_id', 'projects.id')
    .select([
      'app_instances.id',
      'app_instances.deployment_id',
      'app_instances.state',
      'app_instances.used_at',
    ])
    .where('app_instances.state', 'in', running)
    .orderBy('app_instances.used_at')
    .execute()

/** The running apps of a node, of all owners. */
export const runningAppsOfNode = (db: Db, nodeId: string): Promise<RunningApp[]> =>
  db
    .selectFrom('app_instances')
    .select(['id', 'deployment_id', 'state', 'used_at'])
    .where('node_id', '=', nodeId)
    .where('state', 'in', running)
    .orderBy('used_at')
    .execute()
