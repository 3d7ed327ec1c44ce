// Which folder of a finished build is published.
import path from 'node:path'
import {
  isAngularOutput,
  type ServerOutput,
  serverFrameworks,
  siteBuilders,
  usualSites,
} from '@svc/contract/site'
import type { BuildPlan } from './plan.ts'
import { below, type SourceFiles } from './source-files.ts'
import { readStartCommand, startOf } from './start-command.ts'

export interface Output {
  /** From the repository's root. */
  dir: string
  withNodeModules: boolean
  /** `undefined` for a static site, and for a server that a start command starts. */
  server: ServerOutput | undefined
}

/** `undefined` if the build left nothing that can be published. */
export async function findOutput(files: SourceFiles, plan: BuildPlan): Promise<Output | undefined> {
  const at = (folder: string) => below(plan.dir, folder)
  const folder = (dir: string): Output => ({ dir: at(dir), withNodeModules: true, server: undefined })
  const whole: Output = { dir: plan.dir, withNodeModules: plan.hasStart, server: undefined }
  const chosen = plan.output?.folder
  if (chosen === '') return whole
  if (chosen !== undefined) {
    if (!(await files.hasFolder(at(chosen)))) return undefined
    const server = serverOutputs.find(output => isFolderOf(output, chosen))
    return {
      ...folder(chosen),
      server: server && (await isBuilt(files, at(chosen), server)) ? server : undefined,
    }
  }
  if (!plan.build || plan.hasOwnNextServer) return whole
  for (const { packages, server, sites } of siteBuilders) {
    if (!packages.some(name => plan.dependencies.has(name))) continue
    for (const built of server ? await foldersOf(files, plan.dir, server.folder) : [])
      if (server && (await isBuilt(files, at(built), server)))
        return { dir: at(built), withNodeModules: true, server }
    for (const site of sites) if (await files.hasFile(at(`${site}/index.html`))) return folder(site)
    for (const site of sites) if (await files.hasFolder(at(site))) return folder(site)
  }
  if (await startsServer(files, plan)) return whole
  for (const site of [...usualSites, ...(await angularFolders(files, at('dist'))), 'public'])
    if (await files.hasFile(at(`${site}/index.html`))) return folder(site)
  if (plan.hasStart || (await files.hasFile(at('index.html')))) return whole
  return undefined
}

/** The folders that a name stands for, which may end with `*`. */
async function foldersOf(files: SourceFiles, dir: string, folder: string): Promise<string[]> {
  if (!folder.endsWith('*')) return [folder]
  const above = folder.slice(0, -2)
  return (await files.folders(below(dir, above))).map(name => `${above}/${name}`)
}

/**
 * Whether the project is a server that a Procfile, `svc.start` or a start script starts. It then serves the pages that its
 * build made. A start script beside an index.html is often a development tool, and `next start` is left to Next.js.
 */
async function startsServer(files: SourceFiles, { dir, manifest }: BuildPlan): Promise<boolean> {
  const command = await readStartCommand(files, dir, manifest)
  if (!command) return false
  if (command.from !== 'script') return true
  if (await files.hasFile(below(dir, 'index.html'))) return false
  const { start, candidates } = startOf(manifest)
  if (start?.starts !== 'server' || start.framework === 'next-start') return false
  if (start.missing === undefined) return true
  for (const path of candidates) if (await files.hasFile(below(dir, path))) return true
  return false
}

const serverOutputs = siteBuilders.flatMap(({ server }) => server ?? [])

/** Whether somebody who named this folder may mean this server. */
const isFolderOf = ({ folder }: ServerOutput, chosen: string): boolean =>
  folder.endsWith('*') ? path.posix.dirname(chosen) === folder.slice(0, -2) : folder === chosen

async function isBuilt(
  files: SourceFiles,
  dir: string,
  { framework, nests }: ServerOutput,
): Promise<boolean> {
  if (nests) return await files.hasFolder(dir)
  for (const mark of serverFrameworks[framework].marks ?? [])
    if (!(await files.hasFile(`${dir}/${mark}`))) return false
  return true
}

async function angularFolders(files: SourceFiles, dist: string): Promise<string[]> {
  const names = await files.folders(dist)
  return names.flatMap(name => [`dist/${name}/browser`, `dist/${name}`]).filter(isAngularOutput)
}
