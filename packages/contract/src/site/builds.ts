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
const builtServers: Record<string, readonly string[]> = {
  '.next/standalone': ['.next/standalone/server.js'],
  '.output': ['.output/nitro.json', '.output/server/index.mjs'],
  build: ['build/index.js', 'build/handler.js'],
  dist: ['dist/server/entry.mjs'],
}

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
  isServer: boolean
}

/** The output of a build among the files. */
export function findOutput(site: SiteFiles, manifest: PackageJson | undefined): Output | undefined {
  for (const [folder, marks] of Object.entries(builtServers))
    if (marks.every(mark => hasPath(site, mark))) return { folder, isServer: true }
  // Of most tools public/ is a part of the sources.
  const sites = isSourceFolder(manifest) ? builtSites : [...builtSites, 'public']
  const folder = sites.find(candidate => hasPath(site, `${candidate}/index.html`)) ?? angularOutput(site)
  return folder === undefined ? undefined : { folder, isServer: false }
}

/** Where the output of the build script will be. */
export function expectedOutput(manifest: PackageJson): string {
  return outputOf[builderOf(manifest)] ?? 'dist'
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
