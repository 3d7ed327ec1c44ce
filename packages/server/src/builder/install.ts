// Installs the packages of a build: from the cache if the key matches, else with the package manager.
import { type BuildPlan, managerStep, npm, type Step } from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'
import { type Archive, Archives } from './cache/archives.ts'
import { installKey } from './cache/key.ts'
import { diskUse } from './disk-use.ts'
import { type Job, timed } from './job.ts'

/** Returns whether the step itself succeeded, and not the one in its place. */
export type RunStep = (step: Step) => Promise<boolean>

/** `undefined` if this build uses no cache: pull requests from forks neither read nor write one. */
export function cacheOf(job: Job): Archives | undefined {
  const { parts, build, project } = job
  if (!parts.cache || build.from_fork === 1) return undefined
  const branch = build.is_production === 1 ? undefined : build.branch
  return new Archives(job, parts.cache, { projectId: project.id, branch })
}

export async function installPackages(
  job: Job,
  plan: BuildPlan,
  cache: Archives | undefined,
  run: RunStep,
): Promise<void> {
  if (!plan.install) return
  if (!cache) return void (await run(plan.install))
  const key = await keyOf(job, plan)
  if (usesTool(plan)) await tryRestore(job, cache, toolsOf(plan))
  if (key !== undefined && (await restorePackages(job, plan, cache, key))) return await runScripts(plan, run)
  await tryRestore(job, cache, downloadsOf(plan))
  const before = await diskUse([job.homeDir])
  const isExact = await run(plan.install)
  if (key !== undefined && isExact) await trySave(job, cache, packagesOf(plan, key))
  if (usesTool(plan)) await trySave(job, cache, toolsOf(plan))
  if ((await diskUse([job.homeDir])) > before * 1.01) await trySave(job, cache, downloadsOf(plan))
}

const keyOf = ({ dir, env, parts, node }: Job, plan: BuildPlan): Promise<string | undefined> => {
  const { machine } = parts.sandbox
  const withNode = node === undefined ? machine : `${machine} ${node}`
  return installKey({ files: diskFiles(dir), plan, env, machine: withNode })
}

async function restorePackages(job: Job, plan: BuildPlan, cache: Archives, key: string): Promise<boolean> {
  const archive = packagesOf(plan, key)
  if (!(await cache.has(archive))) return false
  const title = `Restoring the packages of ${plan.manager?.lockFile} from the cache`
  return await timed(job.log, title, () => tryRestore(job, cache, archive))
}

/** Runs the lifecycle scripts of the package, which an install would have run at its end. */
async function runScripts({ manager, manifest }: BuildPlan, run: RunStep): Promise<void> {
  if (!manager) return
  for (const name of manager.manager.scripts)
    if (manifest?.scripts.has(name)) await run(managerStep('Installing', manager, `run ${name}`))
}

/** The cache of the framework, which is restored before the build and saved after it. */
export function frameworkCache(plan: BuildPlan): Archive | undefined {
  const paths = plan.frameworks.find(({ caches }) => caches)?.caches
  return (
    paths && {
      name: { kind: 'framework', key: `${plan.dir}\n${paths.join()}` },
      at: { dir: plan.dir },
      paths,
    }
  )
}

const packagesOf = ({ manager }: BuildPlan, key: string): Archive => ({
  name: { kind: 'packages', key },
  at: { dir: manager?.dir ?? '' },
  paths: manager?.manager.leaves ?? [],
  withModules: true,
})

/** The archive with the package manager itself. */
const toolsOf = ({ manager }: BuildPlan): Archive => ({
  name: { kind: 'tools', key: manager?.program ?? '' },
  at: { home: true },
  paths: ['corepack', 'npm/_npx'],
})

const usesTool = ({ manager }: BuildPlan): boolean => manager !== undefined && manager.manager !== npm

/** The download cache of the package manager, which speeds up the install of another lock file. */
function downloadsOf({ manager }: BuildPlan): Archive {
  const { name, downloads } = manager?.manager ?? npm
  const folders = [...new Set(Object.values(downloads))].map(it => (it === 'npm' ? 'npm/_cacache' : it))
  return { name: { kind: 'downloads', key: name }, at: { home: true }, paths: folders }
}

/** An error of the cache never fails a build. */
export async function tryRestore(job: Job, cache: Archives, archive: Archive): Promise<boolean> {
  try {
    return await cache.restore(archive)
  } catch (error) {
    job.signal.throwIfAborted()
    job.log.line(
      `The cache of ${archive.name.kind} could not be used: ${(error as Error).message}. Going on without it.`,
    )
    return false
  }
}

export async function trySave(job: Job, cache: Archives, archive: Archive): Promise<void> {
  const { dir, homeDir, parts } = job
  if (archive.paths.length === 0 && !archive.withModules) return
  try {
    // The archive may be as large as the files in it, and both must fit.
    if ((await diskUse([dir, homeDir])) * 2 > parts.diskBytes) return
    await cache.save(archive)
  } catch (error) {
    job.signal.throwIfAborted()
    job.log.line(`The cache of ${archive.name.kind} could not be saved: ${(error as Error).message}.`)
  }
}
