// Chooses the packages of a server. One that a framework built gets the packages that its code imports. Of the others, nothing
// is removed while they fit into a deployment: then packages for development go, and then files that the server does not need.
import { chmod, copyFile } from 'node:fs/promises'
import path from 'node:path'
import { limits } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { type BuildPlan, below, managerStep, type Output, runsNodeAlone } from '@svc/contract/project'
import { diskFiles, inside } from '@svc/contract/project/disk'
import { formatWhole } from '@svc/contract/whole-number'
import { programFile } from '../program-files.ts'
import { extentOf } from './disk-use.ts'
import type { RunStep } from './install.ts'
import { BuildFailed, type Job, runCommand, shellWord, timed, withTransferFolder } from './job.ts'
import type { NeededRequest } from './needed/main.ts'

/** Reading imports takes seconds, and minutes on a busy machine. Code that takes longer was made to. */
const readingMs = 5 * 60_000
/** The same for removing packages. A package manager that takes longer waits for a registry that does not answer. */
const pruningMs = 5 * 60_000

export async function fitPackages(job: Job, plan: BuildPlan, output: Output, run: RunStep): Promise<void> {
  // Without these steps there is no sandbox, and node_modules is part of the repository.
  if (!plan.install && !plan.build) return
  const published = await publishedFolders(job, plan, output)
  // In a workspace, packages of the workspace have dependencies of their own.
  const isBundled = output.server !== undefined && plan.manager?.dir === plan.dir
  if (!isBundled) {
    const excess = await excessOf(published)
    if (excess === undefined) return
    job.log.line(`${excess} Files that the server does not need are left out.`)
    await prune(job, plan, run)
    if ((await excessOf(published)) === undefined) return
  }
  const request = {
    published: output.server && plan.manager?.dir === plan.dir ? output.dir : (plan.manager?.dir ?? ''),
    project: plan.dir,
    isBundled,
    limits: { files: limits.files, bytes: limits.extractedBytes, fileBytes: limits.fileBytes },
  }
  const reads = howToRead(plan, output)
  await timed(job.log, 'Removing packages that the server does not need', async () => {
    if (await removeUnneeded(job, { ...request, reads })) return
    // The code that the imports lead to may be endless, or made to break the reader.
    if (reads === 'imports' && (await removeUnneeded(job, { ...request, reads: 'names' }))) return
    throw new BuildFailed('The packages that the server does not need could not be removed.')
  })
}

/** The folders whose files are published: the output and node_modules, or all of the workspace. */
async function publishedFolders({ dir }: Job, plan: BuildPlan, output: Output): Promise<string[]> {
  const root = plan.manager?.dir ?? ''
  if (!output.server || root !== plan.dir) return [await inside(dir, root)]
  const modules = below(plan.dir, 'node_modules')
  const folders = (await diskFiles(dir).hasFolder(modules)) ? [output.dir, modules] : [output.dir]
  return await Promise.all(folders.map(folder => inside(dir, folder)))
}

/** Says why the folders do not fit into a deployment. `undefined` if they do. */
async function excessOf(folders: string[]): Promise<string | undefined> {
  const { files, bytes, largest } = await extentOf(folders)
  if (files > limits.files)
    return `The server has ${formatWhole(files)} files with its packages, and a deployment may have ${formatWhole(limits.files)}.`
  if (bytes > limits.extractedBytes)
    return `The server has ${formatBytes(bytes)} with its packages, and a deployment may have ${formatBytes(limits.extractedBytes)}.`
  if (largest > limits.fileBytes)
    return `The server has a file of ${formatBytes(largest)}, and a file may have ${formatBytes(limits.fileBytes)}.`
  return undefined
}

async function prune({ log, signal }: Job, { manager }: BuildPlan, run: RunStep): Promise<void> {
  if (!manager?.manager.prune) return
  try {
    const step = managerStep('Removing development packages', manager, manager.manager.prune)
    await run({ ...step, limitMs: pruningMs })
  } catch {
    signal.throwIfAborted()
    log.line('The development packages could not be removed, and are treated like the others.')
  }
}

/** The imports of a server say what it needs if nothing but Node runs it. */
const howToRead = ({ start, manifest }: BuildPlan, output: Output): NeededRequest['reads'] =>
  output.server || (start && runsNodeAlone(start, manifest)) ? 'imports' : 'none'

/** Runs the script in the sandbox. Returns false if it failed. */
async function removeUnneeded(job: Job, request: NeededRequest): Promise<boolean> {
  return await withTransferFolder(job, async folder => {
    const script = path.join(folder.outside, 'needed.mjs')
    await copyFile(programFile('../bundle/needed.mjs'), script)
    // The build runs as another user, and svcd's umask closes its files to other users.
    await chmod(script, 0o644)
    const signal = AbortSignal.any([job.signal, AbortSignal.timeout(readingMs)])
    const { code } = await runCommand(
      // The script is svcd's own, so it runs with the Node that svcd was tested with.
      { ...job, signal, node: undefined },
      {
        line: `node "${folder.inside}/needed.mjs" ${shellWord(JSON.stringify(request))}`,
        dir: '',
        env: {},
        output: chunk => job.log.output(chunk),
      },
    )
    job.signal.throwIfAborted()
    return code === 0
  })
}
