// Publishing: one transaction makes a deployment live, or shows it at the URL of its branch.
import { activeDeployment, makeLive } from '../../store/deployments/deployments.ts'
import { findProductionLock } from '../../store/deployments/production-locks.ts'
import { completeUpload, markUploaded } from '../../store/deployments/uploads.ts'
import { pinToDomains } from '../../store/domains/domains.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'
import type { DeploymentRow } from '../../store/tables.ts'
import { type Actor, audit } from '../base/audit.ts'
import { enqueue } from '../base/jobs.ts'
import type { PlanSettings, Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import type { Unpacked } from '../base/uploads.ts'
import { notify } from '../notifications/notify.ts'
import { restartInEnvironment } from './environment-change.ts'
import { noSuchDeployment, projectIsGone } from './faults.ts'
import { whyNoDatabase } from './preview-database.ts'
import { whatDiskLacks } from './preview-disk.ts'
import { builtWhileLocked } from './production-lock.ts'
import { requireRoomToPublish } from './storage-room.ts'
import { factsOf, type Upload } from './upload.ts'

/** One transaction: the facts of the deployment, the pointer of the project, the change and the follow-up jobs. */
export async function publish(
  platform: PlanSettings & Rows,
  caller: Actor,
  { project, inTransaction, isAutomatic }: Upload,
  row: DeploymentRow,
  unpacked: Unpacked,
) {
  const now = platform.clock.now()
  await platform.store.transact(async (tx, changed) => {
    await requireRoomToPublish(platform, tx, project, unpacked.sizeBytes)
    if (!(await lockProject(tx, project.id))) throw projectIsGone(project)
    await requireNotSuspended(tx, project.id)
    await inTransaction?.(tx, row.id)
    const isProduction = row.git_branch === null
    const isLocked = isProduction && isAutomatic && (await findProductionLock(tx, project.id)) !== undefined
    const noDatabase = unpacked.app && (await whyNoDatabase(tx, row))
    const diskLacks = unpacked.app && (await whatDiskLacks(tx, row))
    const warnings = [
      ...unpacked.warnings,
      ...(isLocked ? [builtWhileLocked(row.id)] : []),
      ...(noDatabase ? [noDatabase] : []),
      ...(diskLacks ? [diskLacks] : []),
    ]
    if (!(await completeUpload(tx, row.id, factsOf(row, { ...unpacked, warnings }, now))))
      throw noSuchDeployment(row.id)
    if (isLocked) await markUploaded(tx, row.id, 'superseded')
    else if (isProduction) await publishLive(tx, changed, project, row.id, now)
    else await publishBranch(tx, changed, project, row.id, row.git_branch ?? '')
    if (isProduction)
      await notify(tx, now, {
        event: 'deploy.succeeded',
        projectId: project.id,
        subject: row.id,
        words: isLocked
          ? 'built, but not live: production is locked since a rollback.'
          : 'deployed to production.',
        page: `/deployments/${row.id}`,
      })
    const details = { branch: row.git_branch }
    await audit(platform, tx, caller, { action: 'deployment.upload', project, target: row.id, details })
    await enqueue(tx, 'compress', { id: row.id }, { now })
    await siteChanged(tx, changed, project)
  })
}

async function publishLive(tx: Tx, changed: Changed, project: ProjectWithOrg, id: string, now: number) {
  const before = await activeDeployment(tx, project.id)
  await makeLive(tx, project.id, id, ['uploading'], now)
  await restartInEnvironment(tx, changed, project.id, [before])
}

/** Shows the deployment at the URL of its branch, and at the domains that follow the branch. */
async function publishBranch(tx: Tx, changed: Changed, project: ProjectWithOrg, id: string, branch: string) {
  await markUploaded(tx, id, 'branch')
  for (const domain of await pinToDomains(tx, project.id, branch, id))
    await changed({ topic: 'domain', key: domain })
}
