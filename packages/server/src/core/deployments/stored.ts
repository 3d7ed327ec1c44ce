// Stored deployments: roll back, promote, delete.
import { Fault } from '../../lib/fault.ts'
import {
  activeDeployment,
  deleteInactive,
  findDeployment,
  makeLive,
} from '../../store/deployments/deployments.ts'
import { isPinned } from '../../store/domains/domains.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { DeploymentRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import { variantsId } from './archive/variants.ts'
import { restartInEnvironment } from './environment-change.ts'
import { noSuchDeployment, projectIsGone } from './faults.ts'
import { lockAfterMove } from './production-lock.ts'
import { startApp } from './start-app.ts'

/** How a stored deployment becomes live: a rollback to an earlier one, or the promotion of a preview. */
const moves = {
  activate: {
    from: ['live', 'superseded'],
    action: 'deployment.activate',
    rule: 'cannot be activated; only live and superseded ones can',
  },
  promote: {
    from: ['live', 'superseded', 'branch'],
    action: 'deployment.promote',
    rule: 'cannot be promoted: none of it is online',
  },
} as const

/**
 * Makes a stored deployment the live one. A promoted deployment also stays at the URL of its branch. Returns the deployment
 * that was live before.
 */
export async function makeCurrent(
  platform: Rows & Pick<Platform, 'apps'>,
  caller: Caller,
  project: ProjectWithOrg,
  id: string,
  kind: keyof typeof moves,
  confirmRights: () => Promise<void>,
): Promise<string | null> {
  const move = moves[kind]
  await requireNotSuspended(platform.store.db, project.id)
  await refuseFork(platform, project.id, id)
  await wakeServer(platform, project.id, id, move.from)
  await confirmRights()
  return await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id))) throw projectIsGone(project)
    await requireNotSuspended(tx, project.id)
    const before = await activeDeployment(tx, project.id)
    if (!(await makeLive(tx, project.id, id, move.from, platform.clock.now()))) {
      const known = await findDeployment(tx, project.id, id)
      if (!known) throw noSuchDeployment(id)
      throw new Fault('not_activatable', `A deployment with the status ${known.status} ${move.rule}.`)
    }
    const branch = kind === 'promote' && (await findDeployment(tx, project.id, id))?.git_branch
    const details: Record<string, string> = branch ? { branch } : {}
    await audit(platform, tx, caller, { action: move.action, project, target: id, details })
    await lockAfterMove(platform, tx, caller, project, id)
    await siteChanged(tx, changed, project)
    await restartInEnvironment(tx, changed, project.id, [before, id])
    return before
  })
}

/** A fork's code is not reviewed and was built without the project's variables. It reaches production only by a merge. */
async function refuseFork(platform: Pick<Platform, 'store'>, projectId: string, id: string): Promise<void> {
  const row = await findDeployment(platform.store.db, projectId, id)
  if (row?.from_fork === 1)
    throw new Fault(
      'not_activatable',
      "This deployment is of a fork's pull request. Merge the pull request: the production branch is then built and goes live.",
    )
}

export async function deleteDeployment(
  platform: Rows & Pick<Platform, 'packs'>,
  caller: Caller,
  project: ProjectWithOrg,
  id: string,
): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id))) throw projectIsGone(project)
    if (await isPinned(tx, id))
      throw new Fault(
        'deployment_pinned',
        'A domain that tracks a branch shows this deployment. Retarget it first.',
      )
    if (!(await deleteInactive(tx, project.id, id))) {
      if (!(await findDeployment(tx, project.id, id))) throw noSuchDeployment(id)
      throw new Fault(
        'deployment_live',
        'This deployment is live. Activate another one first, then delete it.',
      )
    }
    await audit(platform, tx, caller, { action: 'deployment.delete', project, target: id })
    await siteChanged(tx, changed, project)
    await changed({ topic: 'app', key: id })
  })
  // The record is deleted. If svcd ends now, the next start removes files without a record.
  await platform.packs.delete(id)
  await platform.packs.delete(variantsId(id))
}

/** Starts the app before visitors are sent to it. */
async function wakeServer(
  platform: Pick<Platform, 'apps' | 'store'>,
  projectId: string,
  id: string,
  from: readonly DeploymentRow['status'][],
): Promise<void> {
  const row = await findDeployment(platform.store.db, projectId, id)
  if (row?.kind === 'server' && from.includes(row.status)) await startApp(platform, projectId, id)
}
