// A running build: the data its steps share, and how they run commands.
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { NodeRequest } from '@svc/contract/project'
import type { DeployParts, Platform, Repositories, Vault } from '../core/base/platform.ts'
import { removeTree } from '../lib/remove-tree.ts'
import type { AppImages } from '../ports/app-images/port.ts'
import type { BuildExit, BuildSandbox } from '../ports/build-sandbox/port.ts'
import type { ProjectWithOrg } from '../store/projects/projects.ts'
import type { BuildRow, ProjectRepoRow } from '../store/tables.ts'
import type { CacheStore } from './cache/store.ts'
import type { BuildLog } from './log.ts'

export interface BuilderParts {
  platform: DeployParts & Repositories & Vault & Pick<Platform, 'allowPrivateTargets'>
  sandbox: BuildSandbox
  /** Builds Dockerfiles. A text says why there is none. */
  images: AppImages | string
  /** The directory for files of builds. */
  dir: string
  /** Archives of earlier builds. `undefined` if the operator wants none. */
  cache: CacheStore | undefined
  limits: { memoryBytes: number; cpus: number; pids: number }
  /** How much a build may write to its files and its home directory together. */
  diskBytes: number
}

export interface Job {
  parts: BuilderParts
  build: BuildRow
  project: ProjectWithOrg
  repo: ProjectRepoRow
  /** The project's own variables. */
  env: Record<string, string>
  /** The checked-out repository. */
  dir: string
  /** The home directory of its commands. Each build gets a new one. */
  homeDir: string
  /** The version of Node of its commands. `undefined`: that of builds that ask for none. */
  node?: string | undefined
  /** What the deployment asks for, and what built it. */
  nodeOfDeployment?: { node: NodeRequest | undefined; builtWith: string | undefined }
  /** What svc.json runs before the deployment goes live. */
  release?: string | undefined
  /** What svc.json fills the data of a new preview with. */
  seed?: string | undefined
  log: BuildLog
  signal: AbortSignal
}

/** Why a build failed, as a message for the person who pushed. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed'
}

interface JobCommand {
  line: string
  /** The folder of the repository in which the line runs. An empty string is the root. */
  dir: string
  env: Record<string, string>
  homeFolders?: Record<string, string>
  output(chunk: Buffer): boolean
}

export function runCommand(job: Job, command: JobCommand): Promise<BuildExit> {
  const { parts, build, project, homeDir, node, signal } = job
  const { limits } = parts
  const ids = { buildId: build.id, projectId: project.id }
  const where = { sourceDir: job.dir, workDir: command.dir, homeDir }
  return parts.sandbox.run({ homeFolders: {}, node, ...command, ...ids, ...where, limits }, signal)
}

/** A new folder in the home directory, with its path inside and outside of the sandbox. */
interface TransferFolder {
  outside: string
  /** For a shell command, between double quotes. */
  inside: string
}

/** Makes a folder with a random name for passing files in and out, so that earlier commands cannot prepare it. */
export async function withTransferFolder<T>(
  { homeDir, parts, project }: Job,
  work: (folder: TransferFolder) => Promise<T>,
): Promise<T> {
  const name = `.svc-${randomUUID()}`
  const outside = path.join(homeDir, name)
  await mkdir(outside, { mode: 0o755 })
  try {
    await parts.sandbox.prepare(project.id, [outside])
    return await work({ outside, inside: `$HOME/${name}` })
  } finally {
    await removeTree(outside)
  }
}

export async function timed<T>(log: BuildLog, title: string, work: () => Promise<T>): Promise<T> {
  log.line(title)
  const begun = performance.now()
  const result = await work()
  log.line(`  done in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  return result
}

/** Quotes text as one word of a shell command. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
