// The lock of production. After a rollback, pushes are built but do not go live until someone unlocks production, so that the
// next push does not bring the problem back. What a person asks for goes live all the same: a deploy, a rollback, a build.
import type { ProductionLock } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { findProjectRepo } from '../../store/builds/repositories.ts'
import { findDeployment, newestProduction } from '../../store/deployments/deployments.ts'
import {
  deleteProductionLock,
  findProductionLock,
  insertProductionLock,
} from '../../store/deployments/production-locks.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Db, Tx } from '../../store/store.ts'
import { type Actor, audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { isoTime } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'

export async function productionLockOf(db: Db, projectId: string): Promise<ProductionLock | null> {
  const row = await findProductionLock(db, projectId)
  return row ? { at: isoTime(row.locked_at), by: row.locked_by_login } : null
}

/** Of a build that a push started: says why its deployment does not go live. */
export const builtWhileLocked = (id: string): string =>
  `Not live: production is locked since a rollback. Make it live: svc rollback ${id}. Let pushes go live again: svc git unlock`

/** For a person who deploys while production is locked. `undefined` if it is not. */
export async function stillLocked(db: Db, projectId: string): Promise<string | undefined> {
  const repo = await findProjectRepo(db, projectId)
  if (!repo || !(await findProductionLock(db, projectId))) return undefined
  return `Production stays locked since a rollback: pushes to ${repo.branch} do not go live. Unlock it: svc git unlock`
}

/**
 * After a rollback or a promotion: locks production if a newer production deployment exists, and unlocks it if the newest one
 * is live again. Without a repository nothing goes live by itself, so there is nothing to lock.
 */
export async function lockAfterMove(
  platform: Rows,
  tx: Tx,
  caller: Actor,
  project: Pick<ProjectScope, 'id'>,
  id: string,
): Promise<void> {
  const [moved, newest] = [await findDeployment(tx, project.id, id), await newestProduction(tx, project.id)]
  const isOlder = moved !== undefined && newest !== undefined && moved.created_at < newest.created_at
  if (!isOlder) await deleteProductionLock(tx, project.id)
  else if (await findProjectRepo(tx, project.id))
    await insertProductionLock(tx, newLock(platform, caller, project))
}

const newLock = ({ clock }: Pick<Rows, 'clock'>, caller: Actor, project: Pick<ProjectScope, 'id'>) => ({
  project_id: project.id,
  locked_at: clock.now(),
  locked_by: caller.account.id,
})

export async function lockProduction(platform: Rows, caller: Caller, project: ProjectScope): Promise<void> {
  await change(platform, project, async tx => {
    if (!(await insertProductionLock(tx, newLock(platform, caller, project)))) return false
    await audit(platform, tx, caller, { action: 'production.lock', project, target: project.name })
    return true
  })
}

export async function unlockProduction(platform: Rows, caller: Caller, project: ProjectScope): Promise<void> {
  await change(platform, project, async tx => {
    if (!(await deleteProductionLock(tx, project.id))) return false
    await audit(platform, tx, caller, { action: 'production.unlock', project, target: project.name })
    return true
  })
}

/** The lock is as asked for when this resolves, also if it was so before. */
async function change(
  platform: Rows,
  project: ProjectScope,
  make: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', `The project '${project.name}' was deleted meanwhile.`)
    if (await make(tx)) await siteChanged(tx, changed, project)
  })
}
