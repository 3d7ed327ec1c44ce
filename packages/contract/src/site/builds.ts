// Where builds put their output, for advice to people who deploy their sources.
import { hasPath, type SiteFiles } from './files.ts'
import type { PackageJson } from './package-json.ts'

/** What a build of this program is deployed from, unless its settings say otherwise. */
const outputOf: Record<string, string> = {
  '11ty': '_site',
  astro: 'dist',
  craco: 'build',
  docusaurus: 'build',
  eleventy: '_site',
  gatsby: 'public',
  next: '.next/standalone',
  nuxi: '.output',
  nuxt: '.output',
  'react-app-rewired': 'build',
  'react-scripts': 'build',
  vitepress: '.vitepress/dist',
}

/** Folders with a server that was built, by the files that tell. */
const builtServers: readonly (Output & { marks: readonly string[] })[] = [
  { folder: '.next/standalone', needsModules: true, marks: ['.next/standalone/server.js'] },
  { folder: '.output', needsModules: true, marks: ['.output/nitro.json', '.output/server/index.mjs'] },
  { folder: 'build', needsModules: false, marks: ['build/index.js', 'build/handler.js'] },
  { folder: 'dist', needsModules: false, marks: ['dist/server/entry.mjs'] },
]

/** Folders with a site that was built, if they have an index.html. */
const builtSites = [
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
]

export interface Output {
  folder: string
  /** Whether what was built there keeps its packages in node_modules. */
  needsModules: boolean
}

/** The output of a build among the files. */
export function findOutput(site: SiteFiles, manifest: PackageJson | undefined): Output | undefined {
  const server = builtServers.find(({ marks }) => marks.every(mark => hasPath(site, mark)))
  if (server) return server
  // Of most tools public/ is a part of the sources.
  const sites = isSourceFolder(manifest) ? builtSites : [...builtSites, 'public']
  const folder = sites.find(candidate => hasPath(site, `${candidate}/index.html`)) ?? angularOutput(site)
  return folder === undefined ? undefined : { folder, needsModules: false }
}

/** Where the output of the build script will be. */
export function expectedOutput(manifest: PackageJson): Output {
  const folder = outputOf[builderOf(manifest)] ?? 'dist'
  return { folder, needsModules: builtServers.some(built => built.folder === folder && built.needsModules) }
}

/** Tools whose sources have an index.html where their output has one. */
const pageBuilders = ['vite', 'parcel']

/** The script that builds the pages of this folder, or serves them to developers. */
export function pageBuilder({ scripts }: PackageJson): string | undefined {
  const lines = ['build', 'start', 'dev'].map(name => scripts.get(name) ?? '')
  return lines.find(line => line.split(/\s+/).some(word => pageBuilders.includes(word)))
}

const isSourceFolder = (manifest: PackageJson | undefined): boolean =>
  manifest?.scripts.has('build') === true && builderOf(manifest) !== 'gatsby'

/** The program of the last command of the build script: the ones before it prepare. */
function builderOf({ scripts }: PackageJson): string {
  const last = scripts.get('build')?.split(/&&|;/).at(-1) ?? ''
  return (
    last
      .trim()
      .split(/\s+/)
      .find(word => Object.hasOwn(outputOf, word)) ?? ''
  )
}

function angularOutput(site: SiteFiles): string | undefined {
  for (const path of site.paths()) {
    const [, folder] = /^(dist\/[^/]+(?:\/browser)?)\/index\.html$/.exec(path) ?? []
    if (folder !== undefined) return folder
  }
  return undefined
}
