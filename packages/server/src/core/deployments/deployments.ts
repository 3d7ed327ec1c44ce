// Deployments: upload and go live.
import type { Readable } from 'node:stream'
import { Fault } from '../../lib/fault.ts'
import { findDeployment } from '../../store/deployments/deployments.ts'
import { storedAmong } from '../../store/deployments/stored.ts'
import { completeUpload, insertDeployment, markFailed } from '../../store/deployments/uploads.ts'
import type { DeploymentRow } from '../../store/tables.ts'
import type { Actor } from '../base/audit.ts'
import { requireBranchName } from '../base/branch-names.ts'
import type { DeployParts, Platform, Rows } from '../base/platform.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import { isoTimeOrNull } from '../base/times.ts'
import type { Unpacked } from '../base/uploads.ts'
import { EndedEarly } from './archive/unpack.ts'
import { frameworkName } from './description.ts'
import { notifyOfFailure } from './failures.ts'
import { noSuchDeployment, projectIsGone } from './faults.ts'
import { sourcesOfUpload } from './missing.ts'
import { keepPartsOf } from './parts.ts'
import { stillLocked } from './production-lock.ts'
import { publish } from './publish.ts'
import { startApp } from './start-app.ts'
import { requireDisk, requireRoomToUpload } from './storage-room.ts'
import { factsOf, newDeployment, nodeOf, ofImage, type Upload, withoutRelease } from './upload.ts'

/** The deployment is live (or at the URL of its branch) when this resolves. A refused archive leaves a `failed` record. */
export async function deploy(platform: DeployParts, caller: Actor, upload: Upload, body: Readable) {
  const { project, branch, fromFork } = upload
  if (branch !== undefined && !fromFork) requireBranchName(branch)
  await requireNotSuspended(platform.store.db, project.id)
  await requireRoomToUpload(platform, project)
  const row = newDeployment(platform, caller, upload)
  await platform.store.transact(async (tx, changed) => {
    if (!(await insertDeployment(tx, row))) throw projectIsGone(project)
    await changed({ topic: 'deployment', key: row.id })
  })
  const files = await unpackOrFail(platform, upload, row.id, body, caller.account.id)
  const unpacked = withoutRelease(upload, upload.image ? ofImage(files, upload.image) : files)
  try {
    await requireDisk(platform)
    await upload.confirmRights?.()
    Object.assign(row, await nodeOf(platform, upload, unpacked))
    if (unpacked.app) {
      await startServer(platform, row, unpacked)
      await upload.confirmRights?.()
    }
    await publish(platform, caller, upload, row, unpacked)
  } catch (error) {
    await takeBack(platform, row.id, error, upload.inTransaction !== undefined)
    throw error
  }
  return {
    deployment_id: row.id,
    ...(await shownAt(platform, upload, row)),
    permanent_url: platform.urls.deployment(row.id, project.name),
    expires_at: isoTimeOrNull(project.expires_at),
    ...(unpacked.app && { kind: 'server' as const, framework: frameworkName(unpacked.app.framework) }),
  }
}

/** Where visitors find the new deployment, and its warnings. */
async function shownAt(
  { store, urls }: Pick<Platform, 'store' | 'urls'>,
  { project, isAutomatic }: Upload,
  { id, branch_slug: slug }: DeploymentRow,
): Promise<{ url: string; warnings: string[] }> {
  const row = await findDeployment(store.db, project.id, id)
  const warnings = JSON.parse(row?.warnings ?? '[]') as string[]
  if (slug) return { url: urls.branch(slug, project.name), warnings }
  if (isAutomatic && row?.status === 'superseded' && row.superseded_at === null)
    return { url: urls.deployment(id, project.name), warnings }
  const locked = isAutomatic ? undefined : await stillLocked(store.db, project.id)
  return { url: urls.site(project.name), warnings: locked ? [...warnings, locked] : warnings }
}

async function unpackOrFail(
  platform: Rows & Pick<Platform, 'packs' | 'unpack'>,
  { project, fromFork, inTransaction }: Upload,
  id: string,
  body: Readable,
  owner: string,
): Promise<Unpacked> {
  try {
    // A stranger's code gets no files of the project, even if it knows their hashes.
    const sources = fromFork ? [] : await sourcesOfUpload(platform, project.id)
    const unpacked = await platform.unpack(id, body, owner, sources)
    if (!('keptFiles' in unpacked)) return unpacked
    await keepPartsOf(platform, project.id, id, unpacked)
    throw new EndedEarly()
  } catch (error) {
    // On a full disk this write may fail, too. The sweep marks the deployment as failed later.
    await fail(platform, id, error, inTransaction !== undefined).catch(() => undefined)
    // The project may have been deleted meanwhile, and its files with it.
    if (!(error instanceof Fault) && !(await findDeployment(platform.store.db, project.id, id)))
      throw projectIsGone(project)
    throw error
  }
}

/** A server goes live when an instance accepts connections. Until then nothing changes. */
async function startServer(
  platform: Pick<Platform, 'apps' | 'store'>,
  row: DeploymentRow,
  unpacked: Unpacked,
): Promise<void> {
  if (!(await completeUpload(platform.store.db, row.id, factsOf(row, unpacked, null))))
    throw noSuchDeployment(row.id)
  const mayTakeLonger = row.release_command !== null || row.git_branch !== null
  await startApp(platform, row.project_id, row.id, mayTakeLonger)
}

/** The transaction may have been committed although its answer was lost. So check the record before deleting the files. */
async function takeBack(
  platform: Rows & Pick<Platform, 'packs'>,
  id: string,
  error: unknown,
  isBuild: boolean,
): Promise<void> {
  await fail(platform, id, error, isBuild)
  const kept = await storedAmong(platform.store.db, [id])
  if (!kept.has(id)) await platform.packs.delete(id)
}

async function fail(platform: Rows, id: string, error: unknown, isBuild: boolean): Promise<void> {
  const words = error instanceof Fault ? error.message : 'An unexpected problem of the server.'
  await platform.store.transact(async (tx, changed) => {
    const failed = await markFailed(tx, id, words, platform.clock.now())
    // A cancelled upload is not a failure. A failed build sends its own notification.
    if (failed && !isBuild && !(error instanceof EndedEarly))
      await notifyOfFailure(tx, platform.clock.now(), { id, ...failed }, words)
    await changed({ topic: 'deployment', key: id })
  })
}
