// Which folder of a finished build is published.
import {
  isAngularOutput,
  type ServerOutput,
  serverFrameworks,
  siteBuilders,
  usualSites,
} from '@svc/contract/site'
import type { BuildPlan } from './plan.ts'
import { below, type SourceFiles } from './source-files.ts'

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
    const server = serverOutputs.find(output => output.folder === chosen)
    return {
      ...folder(chosen),
      server: server && (await isBuilt(files, at(chosen), server)) ? server : undefined,
    }
  }
  if (!plan.build || plan.hasOwnNextServer) return whole
  for (const { packages, server, sites } of siteBuilders) {
    if (!packages.some(name => plan.dependencies.has(name))) continue
    if (server && (await isBuilt(files, at(server.folder), server)))
      return { dir: at(server.folder), withNodeModules: true, server }
    for (const site of sites) if (await files.hasFile(at(`${site}/index.html`))) return folder(site)
    for (const site of sites) if (await files.hasFolder(at(site))) return folder(site)
  }
  for (const site of [...usualSites, ...(await angularFolders(files, at('dist'))), 'public'])
    if (await files.hasFile(at(`${site}/index.html`))) return folder(site)
  if (plan.hasStart || (await files.hasFile(at('index.html')))) return whole
  return undefined
}

const serverOutputs = siteBuilders.flatMap(({ server }) => server ?? [])

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
