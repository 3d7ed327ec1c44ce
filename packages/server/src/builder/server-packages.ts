// Adds the packages that a server needs at run time to the output of its build, if the build did not bundle them.
import { readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { limits } from '@svc/contract'
import { type ServerOutput, serverFrameworks } from '@svc/contract/site'
import { frameworkOf } from '../core/apps/frameworks.ts'
import type { Output } from '../core/builds/output.ts'
import { type BuildPlan, managerStep } from '../core/builds/plan.ts'
import { below } from '../core/builds/source-files.ts'
import { fileCount } from './disk-use.ts'
import type { RunStep } from './install.ts'
import { BuildFailed, type Job, runCommand, shellWord, timed } from './job.ts'
import { inside, sourceFiles } from './source-files.ts'

/** Returns the output to publish. */
export async function addPackages(job: Job, plan: BuildPlan, output: Output, run: RunStep): Promise<Output> {
  const { manager, manifest } = plan
  const startsByCommand = output.server === undefined && output.dir === plan.dir && plan.hasStart
  const needsPackages = output.server?.packages === 'outside' || startsByCommand
  if (!manager || !needsPackages || Object.keys(manifest?.dependencies ?? {}).length === 0) return output
  await pruneIfTooMany(job, plan, run)
  if (manager.dir === plan.dir && output.server) await keepImportedIfTooMany(job, plan, output)
  if (manager.dir === plan.dir && !output.server) return output
  if (manager.dir === plan.dir && (await moveModules(job, plan, output))) return output
  return await publishAll(job, plan, output)
}

/** Removes development packages if there are more files than a deployment may have. */
async function pruneIfTooMany(
  { dir, log, signal }: Job,
  { manager }: BuildPlan,
  run: RunStep,
): Promise<void> {
  if (!manager?.manager.prune || (await fileCount([await inside(dir, manager.dir)])) <= limits.files) return
  try {
    await run(managerStep('Removing development packages', manager, manager.manager.prune))
  } catch {
    signal.throwIfAborted()
    log.line('They could not be removed, so they are published too.')
  }
}

/**
 * Frameworks such as Astro are dependencies of the project, but their servers import few packages of all those that the
 * framework needs for its build.
 */
async function keepImportedIfTooMany(job: Job, plan: BuildPlan, output: Output): Promise<void> {
  const { dir, log, signal } = job
  const modules = below(plan.dir, 'node_modules')
  if (!(await sourceFiles(dir).hasFolder(modules))) return
  const trees = await Promise.all([inside(dir, modules), inside(dir, output.dir)])
  if ((await fileCount(trees)) <= limits.files) return
  const script = await readFile(new URL('./keep-imported.js', import.meta.url), 'utf8')
  await timed(log, 'Removing packages that the server does not import', async () => {
    const { code } = await runCommand(job, {
      line: `node --input-type=module -e "$SVC_SCRIPT" -- ${shellWord(output.dir)} ${shellWord(modules)}`,
      dir: '',
      env: { SVC_SCRIPT: script },
      output: chunk => log.output(chunk),
    })
    signal.throwIfAborted()
    if (code !== 0)
      throw new BuildFailed('The packages that the server does not import could not be removed.')
  })
}

/** Moves `node_modules` into the output. Returns false if some packages are links to folders of the project. */
async function moveModules({ dir }: Job, plan: BuildPlan, output: Output): Promise<boolean> {
  const files = sourceFiles(dir)
  const modules = below(plan.dir, 'node_modules')
  const target = below(output.dir, 'node_modules')
  if (!(await files.hasFolder(modules)) || (await files.hasFolder(target))) return true
  const source = await inside(dir, modules)
  if (await leadsOut(source, source)) return false
  await rename(source, await inside(dir, target))
  return true
}

/** Whether a package, or a package of a scope such as `@org`, is a link out of `node_modules`. */
async function leadsOut(modules: string, folder: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name)
    if (entry.isDirectory() && entry.name.startsWith('@') && (await leadsOut(modules, at))) return true
    if (!entry.isSymbolicLink()) continue
    if (!path.resolve(folder, await readlink(at)).startsWith(modules + path.sep)) return true
  }
  return false
}

/** The packages are outside the built folder, so the whole repository is published, with a command that starts the server. */
async function publishAll(job: Job, plan: BuildPlan, output: Output): Promise<Output> {
  const root = plan.manager?.dir ?? ''
  const folder = root === '' ? output.dir : output.dir.slice(root.length + 1)
  const command = output.server ? serverCommand(output.server) : await startCommand(job, plan)
  const procfile = await inside(job.dir, below(root, 'Procfile'))
  await rm(procfile, { force: true })
  await writeFile(procfile, `web: cd ${shellWord(folder)} && ${command}\n`, { flag: 'wx' })
  return { dir: root, withNodeModules: true, server: undefined }
}

function serverCommand({ framework }: ServerOutput): string {
  const env = Object.entries(frameworkOf(framework)?.env ?? {}).map(([name, value]) => `${name}=${value}`)
  return [...env, ...(serverFrameworks[framework].command ?? [])].join(' ')
}

/** The start command that detection would find in the folder. */
async function startCommand({ dir }: Job, { dir: folder, manifest }: BuildPlan): Promise<string> {
  const procfile = (await sourceFiles(dir).read(below(folder, 'Procfile'))) ?? ''
  const web = procfile.split('\n').find(line => line.trimStart().startsWith('web:'))
  const own = manifest?.svc?.start
  return (
    web?.slice(web.indexOf(':') + 1).trim() ||
    (typeof own === 'string' && own.trim()) ||
    // `npm start` also finds programs of packages in folders above.
    'npm start'
  )
}
