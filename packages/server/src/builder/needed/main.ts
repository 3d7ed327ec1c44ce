// A script that the builder runs inside the sandbox of a build, because it reads untrusted code: it removes files from
// node_modules until a server fits into a deployment. It decides first and removes then, so it can be killed and run again.
import { existsSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { readManifest } from '@svc/contract/project/installed'
import { formatWhole } from '@svc/contract/whole-number'
import { type Choice, chooseFiles, type Needs, type Room } from './choice.ts'
import { entriesOf, type PackageFile, Packages } from './packages.ts'
import { namedPackages, serverFiles, traceFiles } from './server-files.ts'

export interface NeededRequest {
  /** The folder that is published. */
  published: string
  /** The folder of the project, with its package.json. */
  project: string
  /** How much of the code to look at. `none` if nothing says which code runs. */
  reads: 'none' | 'names' | 'imports'
  isBundled: boolean
  limits: Room
}

const request: NeededRequest = JSON.parse(process.argv.at(-1) ?? '')
const root = realpathSync('.')
const server = serverFiles(path.join(root, request.published))
const outside = path.join(root, request.project, 'node_modules')
// The builder moves node_modules of the project into the published folder, unless that folder contains it already.
const modules = server.modules.length > 0 ? server.modules : [outside].filter(existsSync)
const packages = new Packages(modules)
const { limits } = request
const choice = await chooseFiles(packages, findNeeds(), {
  ...limits,
  files: limits.files - server.count,
  bytes: limits.bytes - server.bytes,
})
report(choice)
removeOthers(choice.files)

function findNeeds(): Needs {
  const project = path.join(root, request.project)
  const { dependencies } = readManifest(project)
  const direct = [...dependencies].flatMap(name => packages.find(name, project) ?? [])
  const named = request.reads === 'none' ? undefined : namedPackages(server.code, packages)
  let traced: ReturnType<typeof tryTrace> | undefined
  return { named, direct, isBundled: request.isBundled, trace: () => (traced ??= tryTrace()) }
}

async function tryTrace(): Promise<Set<string> | undefined> {
  if (request.reads !== 'imports') return undefined
  try {
    return await traceFiles(server.code, root)
  } catch (error) {
    console.log(`The imports of the server could not be followed: ${String(error).slice(0, 300)}`)
    return undefined
  }
}

function report({ files, packages: kept, summary }: Choice): void {
  if (packages.all.size === 0) return
  console.log(
    kept.size === 0
      ? `Kept none of ${formatWhole(packages.all.size)} packages: the server imports none of them.`
      : `Kept ${formatWhole(kept.size)} of ${formatWhole(packages.all.size)} packages: ${summary}.`,
  )
  const tooLarge = (file: PackageFile) => file.bytes > limits.fileBytes && !files.has(file)
  for (const file of [...kept].flatMap(each => each.files.filter(tooLarge)).slice(0, 10))
    console.log(`Left out, because the file is too large for a deployment: ${path.relative(root, file.path)}`)
  const names = new Set([...kept].map(({ name }) => name))
  const { dependencies, optionalDependencies } = readManifest(path.join(root, request.project))
  const missing = [...dependencies].filter(name => !optionalDependencies.has(name) && !names.has(name))
  if (missing.length > 0)
    console.log(`Left out, because no code of the server imports it: ${missing.slice(0, 50).join(', ')}`)
}

function removeOthers(kept: Set<PackageFile>): void {
  const all = [...packages.all.values()].flatMap(({ files }) => files)
  for (const file of [...all, ...packages.cached]) if (!kept.has(file)) rmSync(file.path)
  for (const folder of packages.storeFolders)
    if (!holdsFiles(folder)) rmSync(folder, { recursive: true, force: true })
  // Folders of which only broken links and empty folders are left go, and with them more links are broken.
  for (let links = packages.links; ; ) {
    for (const folder of modules) removeEmpty(folder)
    const broken = links.filter(link => !existsSync(link))
    if (broken.length === 0) return
    for (const link of broken) rmSync(link, { force: true })
    links = links.filter(link => existsSync(link))
  }
}

function holdsFiles(folder: string): boolean {
  return entriesOf(folder).some(
    entry => entry.isFile() || (entry.isDirectory() && holdsFiles(path.join(folder, entry.name))),
  )
}

/** Returns whether the folder is gone. */
function removeEmpty(folder: string): boolean {
  let isEmpty = true
  for (const entry of entriesOf(folder))
    if (!entry.isDirectory() || !removeEmpty(path.join(folder, entry.name))) isEmpty = false
  if (isEmpty) rmdirSync(folder)
  return isEmpty
}
