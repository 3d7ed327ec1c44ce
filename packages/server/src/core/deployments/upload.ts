// What an upload is, and what its row says of it.
import type { NodeRequest } from '@svc/contract/project'
import { newId } from '../../lib/ids.ts'
import type { AppImage } from '../../ports/app-images/port.ts'
import type { ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import type { DeploymentRow } from '../../store/tables.ts'
import type { Actor } from '../base/audit.ts'
import { branchSlug } from '../base/labels.ts'
import type { Platform } from '../base/platform.ts'
import type { Unpacked } from '../base/uploads.ts'
import { type Command, encodeCommand } from './detection.ts'
import { nodeFacts, nodeOfSettings, noNode } from './node.ts'

/** Where an upload comes from, as the uploader reports it. */
export interface UploadOrigin {
  gitSha: string | undefined
  /** Of the commit: its first line, and who wrote it. */
  commitMessage?: string | undefined
  commitAuthor?: string | undefined
  cliVersion: string | undefined
}

export interface Upload extends UploadOrigin {
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
  /** A shell line that fills the new database and the new disk of a preview. */
  seed?: string | undefined
}

export const newDeployment = (
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
  commit_message: upload.commitMessage ?? null,
  commit_author: upload.commitAuthor ?? null,
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
  seed_command: upload.seed ?? null,
  released_at: null,
  ...noNode,
})

export const withoutRelease = ({ release }: Upload, unpacked: Unpacked): Unpacked =>
  release === undefined || unpacked.app
    ? unpacked
    : { ...unpacked, warnings: [...unpacked.warnings, releaseNotRun] }

const releaseNotRun =
  'The release command was not run: this is a static site, and only a server app has one. Remove "release" from svc.json, or run the command in the build.'

export const ofImage = ({ fileCount, sizeBytes }: Unpacked, { command, ...image }: AppImage): Unpacked => ({
  fileCount,
  sizeBytes: sizeBytes + image.sizeBytes,
  warnings: [],
  app: { framework: 'dockerfile', command: command as Command },
})

/** Only a server of the platform's Node needs one. A static site may have been built with one. */
export async function nodeOf(
  { store, nodeVersions }: Pick<Platform, 'store' | 'nodeVersions'>,
  { project, node, builtWith, image }: Upload,
  unpacked: Unpacked,
) {
  if (!unpacked.app || image) return { ...noNode, node_version: builtWith ?? null }
  return nodeFacts((await nodeOfSettings(store.db, project.id)) ?? node ?? unpacked.node, nodeVersions)
}

export const factsOf = (
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
