// Which folder of a project is published: what its build made, or all of it.
import { below, isPresent, type ProjectFiles } from './files.ts'
import type { Framework, ServerOutput } from './framework.ts'
import { frameworks, replacementOf } from './frameworks.ts'
import type { BuildPlan } from './plan.ts'
import { serverFrameworks } from './servers.ts'
import { readStart } from './start-script.ts'

export interface Output {
  /** From the top folder. */
  dir: string
  withNodeModules: boolean
  /** `undefined` for a static site, and for a server that a start command starts. */
  server: ServerOutput | undefined
  /** Where the server is in the folder, if it is not at its top. */
  nested: string
}

/** Folders that hold a built site if they have an index.html, whatever built it. */
const usualSites = [
  'dist',
  'build',
  'out',
  '.output/public',
  '_site',
  'dist/client',
  'build/client',
  '.vitepress/dist',
  'docs/.vitepress/dist',
  'www',
  'storybook-static',
  // Angular names the folder after the project.
  'dist/*/browser',
  'dist/*',
]

/** What is published after the build. `undefined` if the build left nothing that can be published. */
export async function findOutput(files: ProjectFiles, plan: BuildPlan): Promise<Output | undefined> {
  const chosen = plan.output?.folder
  const whole: Output = { ...plainOutput(plan, ''), withNodeModules: plan.hasStart }
  if (chosen === '') return whole
  if (chosen !== undefined) {
    if (!(await files.hasFolder(below(plan.dir, chosen)))) return undefined
    return (await serverIn(files, plan, chosen)) ?? plainOutput(plan, chosen)
  }
  if (!plan.build || plan.hasOwnServer) return whole
  if (plan.language && plan.build === plan.language.build) return whole
  const built =
    (await builtBy(plan.frameworks, files, plan)) ?? (await siteFolder(plan.frameworks, files, plan))
  if (built) return built
  if (await startsServer(files, plan)) return whole
  const other = await builtByAny(files, plan)
  if (other) return other
  const startsItself = (plan.hasStart && !(await startsTool(files, plan))) || plan.language !== undefined
  return startsItself || (await files.hasFile(below(plan.dir, 'index.html'))) ? whole : undefined
}

/** The output of an earlier build, beside the sources. */
export const findBuilt = async (files: ProjectFiles, plan: BuildPlan): Promise<Output | undefined> =>
  (await builtBy(plan.frameworks, files, plan)) ?? (await builtByAny(files, plan))

/** The folder in which the build will put its output, and whether the server in it contains its packages. */
export function expectedOutput({ frameworks: [framework] }: BuildPlan): {
  folder: string
  needsModules: boolean
} {
  // Most sites of the other frameworks are static.
  if (framework?.server?.packages === 'inside') return { folder: framework.server.folder, needsModules: true }
  return { folder: framework?.sites[0] ?? 'dist', needsModules: false }
}

const plainOutput = ({ dir }: BuildPlan, folder: string): Output => ({
  dir: below(dir, folder),
  withNodeModules: true,
  server: undefined,
  nested: '',
})

/** The server or the site that one of the frameworks made. */
async function builtBy(
  rows: readonly Framework[],
  files: ProjectFiles,
  plan: BuildPlan,
): Promise<Output | undefined> {
  for (const { server, sites } of rows) {
    for (const folder of server ? await foldersOf(files, plan.dir, server.folder) : []) {
      const found = await serverIn(files, plan, folder)
      if (found) return found
    }
    for (const name of sites)
      for (const site of await foldersOf(files, plan.dir, name))
        if (await files.hasFile(below(plan.dir, `${site}/index.html`))) return plainOutput(plan, site)
  }
  return undefined
}

/** The folder of a framework for sites, even if it has no index.html. */
async function siteFolder(
  rows: readonly Framework[],
  files: ProjectFiles,
  plan: BuildPlan,
): Promise<Output | undefined> {
  for (const site of rows.flatMap(({ sites }) => sites))
    if (await files.hasFolder(below(plan.dir, site))) return plainOutput(plan, site)
  return undefined
}

async function builtByAny(files: ProjectFiles, plan: BuildPlan): Promise<Output | undefined> {
  const servers = frameworks.map(row => ({ ...row, sites: [] }))
  // With the frameworks of the table, public/ is part of the sources.
  const last = plan.frameworks.length === 0 ? ['public'] : []
  const sites = [...usualSites, ...last]
  return (
    (await builtBy(servers, files, plan)) ??
    (await builtBy([{ name: '', packages: [], programs: [], assets: undefined, sites }], files, plan))
  )
}

/** The server in a folder, if the marks of its framework are there. */
async function serverIn(files: ProjectFiles, plan: BuildPlan, folder: string): Promise<Output | undefined> {
  const dir = below(plan.dir, folder)
  for (const { server } of frameworks) {
    if (!server || !mayBeAt(server, folder)) continue
    const nested = await placeOf(files, dir, server)
    if (nested !== undefined) return { dir, withNodeModules: true, server, nested }
  }
  return undefined
}

const mayBeAt = ({ folder }: ServerOutput, chosen: string): boolean =>
  folder.endsWith('*')
    ? chosen.startsWith(folder.slice(0, -1)) && !chosen.slice(folder.length - 1).includes('/')
    : folder === chosen

/** How deep below its folder a nested server may be. */
const deepest = 6
const foldersAtMost = 200

/** Where the server is below the folder: `''`, or in a workspace the path of its package. */
async function placeOf(
  files: ProjectFiles,
  dir: string,
  { framework, nests }: ServerOutput,
): Promise<string | undefined> {
  const marks: readonly string[] = serverFrameworks[framework].marks ?? []
  const isAt = async (place: string, wanted: readonly string[]) => {
    for (const mark of wanted) if (!(await isPresent(files, `${below(dir, place)}/${mark}`))) return false
    return true
  }
  if (await isAt('', nests ? marks.slice(0, 1) : marks)) return ''
  if (!nests) return undefined
  const places = await files.folders(dir)
  for (const place of places) {
    if (await isAt(place, marks)) return place
    if (place.split('/').length >= deepest || places.length > foldersAtMost) continue
    const inside = (await files.folders(`${dir}/${place}`)).filter(name => name !== 'node_modules')
    places.push(...inside.filter(name => !name.startsWith('.')).map(name => `${place}/${name}`))
  }
  return undefined
}

/** The folders that a path stands for, which may have a `*` in place of a name. */
async function foldersOf(files: ProjectFiles, dir: string, folder: string): Promise<string[]> {
  const [above, rest] = folder.split('/*')
  if (above === undefined || rest === undefined) return [folder]
  return (await files.folders(below(dir, above))).map(name => `${above}/${name}${rest}`)
}

/**
 * Whether the project is a server that a Procfile, `svc.start` or a start script starts. It then serves the pages that its
 * build made. A start script beside an index.html is often a development tool, and one that starts what a framework built, such
 * as `next start`, is left to the framework.
 */
async function startsServer(files: ProjectFiles, { dir, manifest, start }: BuildPlan): Promise<boolean> {
  if (!start) return false
  if (start.from !== 'script') return true
  if (!manifest || (await files.hasFile(below(dir, 'index.html')))) return false
  const read = await readStart(manifest, path => files.hasFile(below(dir, path)))
  return read?.starts === 'server' && !replacementOf(read.framework) && read.missing === undefined
}

/** Whether the start script starts a development tool, such as `vite`, which needs the sources and is for nobody else. */
async function startsTool(files: ProjectFiles, { dir, manifest, start }: BuildPlan): Promise<boolean> {
  if (start?.from !== 'script' || !manifest) return false
  return (await readStart(manifest, path => files.hasFile(below(dir, path))))?.starts === 'development'
}
