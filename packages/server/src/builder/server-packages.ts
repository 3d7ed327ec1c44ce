// Adds the packages that a server needs at run time to the output of its build, if the build did not bundle them.
import { readdir, readlink, rename } from 'node:fs/promises'
import path from 'node:path'
import { type BuildPlan, below, type FrameworkId, type Output, serverFrameworks } from '@svc/contract/project'
import { diskFiles, inside, writeStart } from '@svc/contract/project/disk'
import { frameworkOf } from '../core/deployments/frameworks.ts'
import { removeTree } from '../lib/remove-tree.ts'
import { fitPackages } from './fit-packages.ts'
import type { RunStep } from './install.ts'
import { type Job, shellWord } from './job.ts'

/** Returns the output to publish. */
export async function addPackages(job: Job, plan: BuildPlan, output: Output, run: RunStep): Promise<Output> {
  const { manager, manifest } = plan
  // They are saved for the next build, and the server writes its own.
  for (const cache of plan.hasOwnServer ? plan.frameworks.flatMap(({ caches = [] }) => caches) : [])
    if (await diskFiles(job.dir).hasFolder(below(plan.dir, cache)))
      await removeTree(await inside(job.dir, below(plan.dir, cache)))
  const startsByCommand = output.server === undefined && output.dir === plan.dir && plan.hasStart
  const needsPackages = output.server?.packages === 'outside' || startsByCommand
  if (!manager || !needsPackages || (manifest?.dependencies.size ?? 0) === 0) return output
  await fitPackages(job, plan, output, run)
  if (manager.dir === plan.dir && !output.server) return output
  if (manager.dir === plan.dir && (await moveModules(job, plan, output))) return output
  return await publishAll(job, plan, output)
}

/** Moves `node_modules` into the output. Returns false if some packages are links to folders of the project. */
async function moveModules({ dir }: Job, plan: BuildPlan, output: Output): Promise<boolean> {
  const files = diskFiles(dir)
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
  const command = output.server ? serverCommand(output.server.framework) : startCommand(plan)
  await writeStart(job.dir, root, `cd ${shellWord(folder)} && ${command}`)
  return { dir: root, withNodeModules: true, server: undefined, nested: '' }
}

function serverCommand(framework: FrameworkId): string {
  const env = Object.entries(frameworkOf(framework)?.env ?? {}).map(([name, value]) => `${name}=${value}`)
  return [...env, ...(serverFrameworks[framework].command ?? [])].join(' ')
}

/** The start command that detection would find in the folder. `npm start` also finds programs of packages in folders above. */
const startCommand = ({ start }: BuildPlan): string =>
  start && start.from !== 'script' ? start.line : 'npm start'
