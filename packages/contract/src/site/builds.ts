// Finds the output folder of a build, for advice to people who deploy their sources.
import { detectServer } from './detection.ts'
import { hasPath, type SiteFiles } from './files.ts'
import {
  isAngularOutput,
  type ServerOutput,
  serverFrameworks,
  siteBuilders,
  usualSites,
} from './frameworks.ts'
import type { PackageJson } from './package-json.ts'
import { readStart } from './start-script.ts'

/** Output folders of builds that make a server. */
const serverOutputs = [...new Set(siteBuilders.flatMap(({ server }) => server ?? []))]

export interface Output {
  folder: string
  /** Whether the server in that folder needs its node_modules folder. */
  needsModules: boolean
}

/** Finds the output of a build among the files. */
export function findOutput(site: SiteFiles, manifest: PackageJson | undefined): Output | undefined {
  for (const server of serverOutputs)
    for (const folder of foldersOf(site, server.folder))
      if (isBuilt(site, folder, server)) return outputOf({ ...server, folder })
  // With most tools, public/ is part of the sources.
  const sites = isSourceFolder(manifest) ? usualSites : [...usualSites, 'public']
  const folder = sites.find(candidate => hasPath(site, `${candidate}/index.html`)) ?? angularOutput(site)
  return folder === undefined ? undefined : { folder, needsModules: false }
}

const isBuilt = (site: SiteFiles, folder: string, { framework, nests }: ServerOutput): boolean =>
  nests
    ? nextServerIn(site, folder) !== undefined
    : (serverFrameworks[framework].marks ?? []).every(mark => hasPath(site, `${folder}/${mark}`))

/** The folder of the server in a standalone build of Next.js. In a workspace, it has the path of its package. */
export function nextServerIn(site: SiteFiles, standalone: string): string | undefined {
  for (const path of site.paths()) {
    if (!path.startsWith(`${standalone}/`) || !path.endsWith('/server.js')) continue
    const folder = path.slice(0, -'/server.js'.length)
    if (hasPath(site, `${folder}/.next/BUILD_ID`)) return folder
  }
  return undefined
}

/** The folders that a name stands for, which may end with `*`. */
function foldersOf(site: SiteFiles, folder: string): Iterable<string> {
  if (!folder.endsWith('*')) return [folder]
  const above = folder.slice(0, -1)
  const found = new Set<string>()
  for (const path of site.paths()) {
    const slash = path.startsWith(above) ? path.indexOf('/', above.length) : -1
    if (slash > 0) found.add(path.slice(0, slash))
  }
  return found
}

/**
 * Whether the project is a server that a Procfile, `svc.start` or a start script starts. It then serves the pages that its
 * build made. `next start` is another matter: Next.js builds a folder for it, or a static site.
 */
export async function startsServer(site: SiteFiles, manifest: PackageJson | undefined): Promise<boolean> {
  const { app } = await detectServer(site)
  if (app?.framework === 'procfile' || app?.framework === 'package') return true
  if (app?.framework !== 'start' && app?.framework !== 'react-router') return false
  const start = manifest && readStart(manifest, path => hasPath(site, path))
  return start?.starts === 'server' && start.missing === undefined
}

/** The folder in which the build script will put its output. */
export function expectedOutput(manifest: PackageJson): Output {
  const { server, sites } = builderOf(manifest) ?? { server: undefined, sites: [] }
  // Most sites of the other frameworks are static.
  if (server && server.packages === 'inside') return outputOf(server)
  return { folder: sites[0] ?? 'dist', needsModules: false }
}

const outputOf = ({ folder, packages }: ServerOutput): Output => ({
  folder,
  needsModules: packages === 'inside',
})

/** Tools whose sources have an index.html, as their output does. */
const pageBuilders = ['vite', 'parcel']

/** The script that builds the pages of this folder, or serves them for development. */
export function pageBuilder({ scripts }: PackageJson): string | undefined {
  const lines = ['build', 'start', 'dev'].map(name => scripts.get(name) ?? '')
  return lines.find(line => line.split(/\s+/).some(word => pageBuilders.includes(word)))
}

const isSourceFolder = (manifest: PackageJson | undefined): boolean =>
  manifest !== undefined &&
  buildScript(manifest.scripts) !== undefined &&
  !builderOf(manifest)?.sites.includes('public')

/** The name of the script that builds the site. A project that consists of a VitePress or VuePress site names it `docs:build`. */
export function buildScript(scripts: ReadonlyMap<string, string>): string | undefined {
  if (scripts.has('build')) return 'build'
  const isDocs = !scripts.has('start') && /\b(?:vite|vue)press build\b/.test(scripts.get('docs:build') ?? '')
  return isDocs ? 'docs:build' : undefined
}

/** Finds the tool that builds the site: the program of the last command of the build script. */
function builderOf({ scripts }: PackageJson) {
  const words =
    scripts
      .get(buildScript(scripts) ?? '')
      ?.split(/&&|;/)
      .at(-1)
      ?.trim()
      .split(/\s+/) ?? []
  return siteBuilders.find(({ programs }) => programs.some(program => words.includes(program)))
}

function angularOutput(site: SiteFiles): string | undefined {
  for (const path of site.paths()) {
    const folder = path.endsWith('/index.html') ? path.slice(0, -'/index.html'.length) : ''
    if (isAngularOutput(folder)) return folder
  }
  return undefined
}
