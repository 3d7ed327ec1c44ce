// Deployments: upload and go live.

import type { Readable } from 'node:stream'
import type { NodeRequest } from '@svc/contract/project'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import type { AppImage } from '../../ports/app-images/port.ts'
import { activeDeployment, findDeployment, makeLive } from '../../store/deployments/deployments.ts'
import { findProductionLock } from '../../store/deployments/production-locks.ts'
import { storedAmong } from '../../store/deployments/stored.ts'
import {
  completeUpload,
  insertDeployment,
  markFailed,
  markUploaded,
} from '../../store/deployments/uploads.ts'
import { pinToDomains } from '../../store/domains/domains.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'
import type { DeploymentRow } from '../../store/tables.ts'
import { type Actor, audit } from '../base/audit.ts'
import { requireBranchName } from '../base/branch-names.ts'
import { enqueue } from '../base/jobs.ts'
import { branchSlug } from '../base/labels.ts'
import type { DeployParts, PlanSettings, Platform, Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import { isoTimeOrNull } from '../base/times.ts'
import type { Unpacked } from '../base/uploads.ts'
import { notify } from '../notifications/notify.ts'
import { EndedEarly } from './archive/unpack.ts'
import { frameworkName } from './description.ts'
import { type Command, encodeCommand } from './detection.ts'
import { restartInEnvironment } from './environment-change.ts'
import { notifyOfFailure } from './failures.ts'
import { noSuchDeployment, projectIsGone } from './faults.ts'
import { sourcesOfUpload } from './missing.ts'
import { nodeFacts, nodeOfSettings, noNode } from './node.ts'
import { keepPartsOf } from './parts.ts'
import { builtWhileLocked, stillLocked } from './production-lock.ts'
import { startApp } from './start-app.ts'
import { requireDisk, requireRoomToPublish, requireRoomToUpload } from './storage-room.ts'

/** Where an upload comes from, as the uploader reports it. */
export interface UploadOrigin {
  gitSha: string | undefined
  cliVersion: string | undefined
}

interface Upload extends UploadOrigin {
  project: ProjectWithOrg
  branch: string | undefined
  /** Untrusted code from a fork. It gets no secrets of the project. Its branch is `owner:branch`. */
  fromFork?: boolean
  /** Throws if the uploader may no longer deploy. An upload may take an hour, and the app a minute to start. Not set for builds. */
  confirmRights?: () => Promise<void>
  /** Runs in the transaction that publishes. If it throws, nothing changes. */
  inTransaction?: (tx: Tx, deploymentId: string) => Promise<void>
  /** Nobody asked for it, such as the build of a push. It does not go live while production is locked. */
  isAutomatic?: boolean
  /** The Node that it asks for, unless the settings of the project name another one. `undefined` if its files decide. */
  node?: NodeRequest | undefined
  /** The version of Node that built it. */
  builtWith?: string | undefined
  /** The image that its Dockerfile made. The image runs, and its size counts. */
  image?: AppImage | undefined
  /** A shell line that runs once, before the server goes live. */
  release?: string | undefined
}

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

const newDeployment = (
  platform: Pick<Platform, 'clock' | 'nodeId'>,
  caller: Actor,
  upload: Upload,
): DeploymentRow => ({
  id: newId('dep'),
  project_id: upload.project.id,
  status: 'uploading',
  kind: 'static',
  created_at: platform.clock.now(),
  finished_at: null,
  file_count: null,
  size_bytes: null,
  git_sha: upload.gitSha ?? null,
  git_branch: upload.branch ?? null,
  branch_slug: upload.branch === undefined ? null : branchSlug(upload.branch, upload.project.name),
  cli_version: upload.cliVersion ?? null,
  created_by: caller.account.id,
  warnings: '[]',
  error: null,
  node_id: platform.nodeId,
  framework: null,
  start_command: null,
  from_fork: upload.fromFork ? 1 : 0,
  parts_until: null,
  superseded_at: null,
  image: upload.image?.name ?? null,
  release_command: upload.release ?? null,
  released_at: null,
  ...noNode,
})

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
  await startApp(platform, row.project_id, row.id, row.release_command !== null)
}

const withoutRelease = ({ release }: Upload, unpacked: Unpacked): Unpacked =>
  release === undefined || unpacked.app
    ? unpacked
    : { ...unpacked, warnings: [...unpacked.warnings, releaseNotRun] }

const releaseNotRun =
  'The release command was not run: this is a static site, and only a server app has one. Remove "release" from svc.json, or run the command in the build.'

const ofImage = ({ fileCount, sizeBytes }: Unpacked, { command, ...image }: AppImage): Unpacked => ({
  fileCount,
  sizeBytes: sizeBytes + image.sizeBytes,
  warnings: [],
  app: { framework: 'dockerfile', command: command as Command },
})

/** Only a server of the platform's Node needs one. A static site may have been built with one. */
async function nodeOf(
  { store, nodeVersions }: Pick<Platform, 'store' | 'nodeVersions'>,
  { project, node, builtWith, image }: Upload,
  unpacked: Unpacked,
) {
  if (!unpacked.app || image) return { ...noNode, node_version: builtWith ?? null }
  return nodeFacts((await nodeOfSettings(store.db, project.id)) ?? node ?? unpacked.node, nodeVersions)
}

const factsOf = (
  { node_asked, node_version }: DeploymentRow,
  { fileCount, sizeBytes, warnings, app }: Unpacked,
  finishedAt: number | null,
) => ({
  node_asked,
  node_version,
  finished_at: finishedAt,
  file_count: fileCount,
  size_bytes: sizeBytes,
  kind: app ? ('server' as const) : ('static' as const),
  framework: app?.framework ?? null,
  start_command: app ? encodeCommand(app.command) : null,
  warnings: JSON.stringify(warnings),
})

/** One transaction: the facts of the deployment, the pointer of the project, the change and the follow-up jobs. */
async function publish(
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
    const warnings = [...unpacked.warnings, ...(isLocked ? [builtWhileLocked(row.id)] : [])]
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
