// One build, as a recipe: check out, install, build, publish.
import { randomUUID } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { formatBytes } from '@svc/contract/bytes'
import { type BuildPlan, buildVariables, npm, Said, type Step } from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'
import { type DiskSetting, diskCommand } from '@svc/contract/site'
import type { Vault } from '../core/base/platform.ts'
import { planBuild } from '../core/builds/plan.ts'
import { readSettings } from '../core/builds/settings.ts'
import { checkOutCommit } from '../core/builds/source.ts'
import { variablesFor } from '../core/env/values.ts'
import { Fault } from '../lib/fault.ts'
import { removeTree } from '../lib/remove-tree.ts'
import { NoSandbox } from '../ports/build-sandbox/port.ts'
import { findProjectRepo } from '../store/builds/repositories.ts'
import { findDisk } from '../store/disk/disks.ts'
import { findProjectWithOrg } from '../store/projects/projects.ts'
import type { BuildRow } from '../store/tables.ts'
import { watchDiskUse } from './disk-use.ts'
import { dockerfileOf, publishImage } from './image.ts'
import { cacheOf, frameworkCache, installPackages, tryRestore, trySave } from './install.ts'
import { type BuilderParts, BuildFailed, type Job, runCommand, timed } from './job.ts'
import { fetchLargeFiles, largeFilesDir } from './large-files.ts'
import { BuildLog } from './log.ts'
import { nodeOfBuild } from './node.ts'
import { publish } from './publish.ts'
import { isPassing } from './retries.ts'
import { fetchSubmodules } from './submodules.ts'

/** The directories of one build. */
export interface BuildDirs {
  dir: string
  homeDir: string
}

export function newBuildDirs(parts: BuilderParts, build: BuildRow): BuildDirs {
  const dir = path.join(parts.dir, `${build.id}-${randomUUID().slice(0, 8)}`)
  return { dir, homeDir: `${dir}.home` }
}

/** Removes all files of a build. A tree with many packages takes a while. */
export async function removeBuildDirs({ dir, homeDir }: BuildDirs): Promise<void> {
  for (const tree of [dir, homeDir, `${dir}.links`, `${dir}.image`, largeFilesDir(dir)])
    await removeTree(tree)
}

/** Resolves when the deployment is published. In all cases the caller removes the directories afterwards. */
export async function runBuild(
  parts: BuilderParts,
  build: BuildRow,
  { dir, homeDir }: BuildDirs,
  signal: AbortSignal,
): Promise<void> {
  const { platform } = parts
  const project = await findProjectWithOrg(platform.store.db, build.project_id)
  const repo = await findProjectRepo(platform.store.db, build.project_id)
  if (!project || !repo?.repository_id) throw new BuildFailed('The repository was disconnected.')
  const env = build.from_fork === 1 ? {} : await buildEnv(platform, build)
  const log = await BuildLog.open(platform.store.db, build.id, Object.values(env))
  const over = new AbortController()
  const tooLarge = watchDiskUse(
    [dir, `${dir}.git`, largeFilesDir(dir), homeDir],
    parts.diskBytes,
    over.signal,
  )
  const either = AbortSignal.any([signal, tooLarge])
  try {
    await recipe({ parts, build, project, repo, env, dir, homeDir, log, signal: either })
  } catch (cause) {
    const error = tooLarge.aborted ? new BuildFailed(String(tooLarge.reason), { cause }) : cause
    // A build that takes too long is stopped with the words for that.
    const reason = signal.aborted ? signal.reason : error
    log.line(`\n${signal.aborted && !(reason instanceof BuildFailed) ? 'Stopped.' : wordsOf(reason)}`)
    throw error
  } finally {
    over.abort()
    await log.close()
  }
}

async function recipe(checkedOut: Job): Promise<void> {
  const { build, repo, dir, log, signal, parts } = checkedOut
  if (build.from_fork === 1)
    log.line(
      'A pull request of a fork: it is built without the variables of the project, and a server runs without them.',
    )
  const title = `Checking out ${build.commit_sha.slice(0, 10)} of ${build.branch}`
  const source = await timed(log, title, async () => {
    await mkdir(dir, { recursive: true })
    // Commands run as another user, and svcd's umask makes new folders private. So open this one. Its parent stays private.
    await chmod(dir, 0o755)
    return await checkOutCommit(parts.platform, repo, { sha: build.commit_sha, dir, signal })
  })
  // Before submodules come, whose files in Git LFS are those of other repositories.
  await fetchLargeFiles(checkedOut, source)
  await fetchSubmodules(checkedOut, source)
  await requireRootDir(checkedOut)
  const plan = await planBuild(diskFiles(dir), repo)
  const { release, seed, disk } = await readSettings(diskFiles(dir), plan.dir)
  const job = { ...checkedOut, release, seed }
  if (disk && build.is_production === 1) await noteMissingDisk(job, disk)
  const dockerfile = await dockerfileOf(diskFiles(dir), plan)
  // Without an engine, a site generator may still build it.
  if (dockerfile !== undefined && (typeof parts.images !== 'string' || !plan.isGuessed))
    return await publishImage(job, plan, dockerfile, platformEnv(job, plan))
  const { node, asked, builtWith } = await nodeOfBuild(job, plan)
  const ready = { ...job, node, nodeOfDeployment: { node: asked, builtWith } }
  if (plan.install || plan.build) await runCommands(ready, plan)
  await publish(ready, plan, step => runStep(ready, plan, step))
}

/** A push adds none: it counts in the plan, and who may push need not be an admin. */
async function noteMissingDisk({ parts, project, log }: Job, asked: DiskSetting): Promise<void> {
  if (await findDisk(parts.platform.store.db, project.id, '')) return
  log.line(
    `Note: svc.json asks for a disk, and the project has none. An admin adds it: ${diskCommand(asked)}`,
  )
}

async function runCommands(job: Job, plan: BuildPlan): Promise<void> {
  await mkdir(job.homeDir, { mode: 0o700 })
  await job.parts.sandbox.prepare(job.project.id, [job.dir, job.homeDir])
  const cache = cacheOf(job)
  const run = (step: Step) => runStep(job, plan, step)
  await installPackages(job, plan, cache, run)
  if (!plan.build) return
  const made = cache && frameworkCache(plan)
  if (made) await tryRestore(job, cache, made)
  await run(plan.build)
  if (made) await trySave(job, cache, made)
}

async function requireRootDir({ dir, repo }: Job): Promise<void> {
  if (repo.root_dir === null || (await diskFiles(dir).hasFolder(repo.root_dir))) return
  throw new BuildFailed(`The repository has no folder '${repo.root_dir}' (root_dir).`)
}

/** Returns whether the step itself succeeded, and not the one in its place. */
async function runStep(job: Job, plan: BuildPlan, step: Step): Promise<boolean> {
  const { what, typed, line, dir, limitMs, otherwise } = step
  const { parts, log, signal } = job
  const limited = limitMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  const said = new Said(step)
  const isDone = await timed(log, `${what}: ${typed}`, async () => {
    const { downloads, env } = plan.manager?.manager ?? npm
    const exit = await runCommand(
      { ...job, signal: limited },
      {
        ...{ line, dir },
        env: { ...platformEnv(job, plan), ...env, ...job.env },
        homeFolders: { ...npm.downloads, COREPACK_HOME: 'corepack', ...downloads },
        output: chunk => {
          said.add(chunk)
          return log.output(chunk)
        },
      },
    )
    signal.throwIfAborted()
    if (exit.code !== 0 && said.asksForOther) return false
    if (exit.outOfMemory)
      throw new BuildFailed(
        `The build used more than ${formatBytes(parts.limits.memoryBytes)} of memory and was ended.`,
      )
    if (exit.code === 127 && step.absent !== undefined) throw new BuildFailed(step.absent.onPlatform)
    if (exit.code !== 0)
      throw new BuildFailed(`${what} failed: the command ended with ${exit.signal ?? `code ${exit.code}`}.`)
    return true
  })
  if (isDone || !otherwise) return true
  log.line(`Warning: ${otherwise.warning.onPlatform}`)
  await runStep(job, plan, otherwise.step)
  return false
}

/** The project's variables of the scopes `build` and `both`, for production or for the branch. */
const buildEnv = (platform: Vault, { project_id, is_production, branch }: BuildRow) =>
  variablesFor(
    platform,
    project_id,
    is_production === 1 ? { environment: 'production' } : { environment: 'preview', branch },
    'build',
  )

const platformEnv = ({ build, project }: Job, plan: BuildPlan): Record<string, string> => ({
  CI: '1',
  SVC: '1',
  SVC_PROJECT: project.name,
  SVC_BUILD_ID: build.id,
  SVC_GIT_BRANCH: build.branch,
  SVC_GIT_SHA: build.commit_sha,
  ...buildVariables(plan, { inSandbox: true }),
  npm_config_update_notifier: 'false',
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
})

/** The message for the build log. Unexpected errors are logged for the operator instead. */
export function wordsOf(error: unknown): string {
  if (isExpected(error)) return error.message
  if (isPassing(error)) return "The platform's storage or database does not answer."
  return 'An unexpected problem of the platform. Its log says more.'
}

export const isExpected = (error: unknown): error is Error =>
  error instanceof BuildFailed || error instanceof Fault || error instanceof NoSandbox
