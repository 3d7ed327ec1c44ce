// The frameworks that the platform knows, as data: how a built server is recognized and started, which packages and programs
// build a site, and where the output lies. Git builds, the detection of apps and the advice of both clients read these
// tables.

export interface ServerFramework {
  /** The name to show to people. */
  name: string
  /** Paths that such a deployment has. A folder ends with `/`. `undefined` if the start script decides. */
  marks: readonly string[] | undefined
  /** The command that starts the server. `undefined` if a file of the deployment says it. */
  command: readonly [string, ...string[]] | undefined
}

/** The kinds of server apps, in the order of detection. */
export const serverFrameworks = {
  procfile: { name: 'Procfile', marks: ['Procfile'], command: undefined },
  package: { name: 'package.json', marks: ['package.json'], command: undefined },
  next: { name: 'Next.js standalone', marks: ['server.js', '.next/'], command: ['node', 'server.js'] },
  nitro: {
    name: 'Nitro',
    marks: ['nitro.json', 'server/index.mjs'],
    command: ['node', 'server/index.mjs'],
  },
  sveltekit: { name: 'SvelteKit', marks: ['index.js', 'handler.js'], command: ['node', 'index.js'] },
  astro: { name: 'Astro', marks: ['server/entry.mjs'], command: ['node', 'server/entry.mjs'] },
  angular: {
    name: 'Angular',
    marks: ['server/server.mjs', 'server/angular-app-engine-manifest.mjs'],
    command: ['node', 'server/server.mjs'],
  },
  'next-start': { name: 'Next.js', marks: undefined, command: undefined },
  'react-router': { name: 'React Router', marks: undefined, command: undefined },
  start: { name: 'Node.js', marks: undefined, command: undefined },
} as const satisfies Record<string, ServerFramework>

export type FrameworkId = keyof typeof serverFrameworks

export interface ServerOutput {
  /** `*` at the end stands for the name of the project. */
  folder: string
  framework: FrameworkId
  /** Where the packages of the server are: in its folder, bundled into its code, or still in the project's node_modules. */
  packages: 'inside' | 'bundled' | 'outside'
  /** In a monorepo the server lies deeper in the folder, at the path of its own package. */
  nests?: boolean
}

interface SiteBuilder {
  /** Dependencies of a project that is built with it. */
  packages: readonly string[]
  /** Words of a build script that runs it. */
  programs: readonly string[]
  server?: ServerOutput
  /** Output folders of a static site, the most likely one first. */
  sites: readonly string[]
  /** Folders that make the next build quicker. */
  caches?: readonly string[]
}

const next: ServerOutput = { folder: '.next/standalone', framework: 'next', packages: 'inside', nests: true }
const nitro: ServerOutput = { folder: '.output', framework: 'nitro', packages: 'inside' }
const sveltekit: ServerOutput = { folder: 'build', framework: 'sveltekit', packages: 'outside' }
const astro: ServerOutput = { folder: 'dist', framework: 'astro', packages: 'outside' }
const angular: ServerOutput = { folder: 'dist/*', framework: 'angular', packages: 'bundled' }

/** The tools that build sites, in the order of detection. A framework comes before the tools that it uses. */
export const siteBuilders: readonly SiteBuilder[] = [
  { packages: ['next'], programs: ['next'], server: next, sites: ['out'], caches: ['.next/cache'] },
  {
    packages: ['nuxt'],
    programs: ['nuxt', 'nuxi'],
    server: nitro,
    sites: ['.output/public', 'dist'],
    caches: ['node_modules/.cache'],
  },
  { packages: ['nitropack', 'nitro'], programs: ['nitro', 'nitropack'], server: nitro, sites: [] },
  {
    packages: ['@solidjs/start', '@tanstack/react-start', '@tanstack/solid-start', '@analogjs/platform'],
    programs: ['vinxi'],
    server: nitro,
    sites: ['.output/public'],
  },
  {
    packages: ['@sveltejs/kit'],
    programs: ['svelte-kit'],
    server: sveltekit,
    sites: ['build'],
  },
  {
    packages: ['astro'],
    programs: ['astro'],
    server: astro,
    sites: ['dist'],
    caches: ['node_modules/.astro'],
  },
  { packages: ['gatsby'], programs: ['gatsby'], sites: ['public'], caches: ['.cache', 'public'] },
  {
    packages: ['@docusaurus/core'],
    programs: ['docusaurus'],
    sites: ['build'],
    caches: ['.docusaurus', 'node_modules/.cache'],
  },
  { packages: ['@11ty/eleventy'], programs: ['11ty', 'eleventy'], sites: ['_site'], caches: ['.cache'] },
  {
    packages: ['react-scripts', '@craco/craco', 'react-app-rewired'],
    programs: ['react-scripts', 'craco', 'react-app-rewired'],
    sites: ['build'],
    caches: ['node_modules/.cache'],
  },
  {
    packages: ['vitepress'],
    programs: ['vitepress'],
    sites: ['.vitepress/dist', 'docs/.vitepress/dist'],
    caches: ['.vitepress/cache', 'docs/.vitepress/cache'],
  },
  { packages: ['vuepress'], programs: ['vuepress'], sites: ['.vuepress/dist', 'docs/.vuepress/dist'] },
  { packages: ['@angular/core'], programs: ['ng'], server: angular, sites: [], caches: ['.angular/cache'] },
  { packages: ['hexo'], programs: ['hexo'], sites: ['public'] },
  { packages: ['@rspress/core', 'rspress'], programs: ['rspress'], sites: ['doc_build'] },
  { packages: ['@stencil/core'], programs: ['stencil'], sites: ['www'] },
  { packages: ['parcel'], programs: ['parcel'], sites: ['dist'], caches: ['.parcel-cache'] },
]

/** Folders that hold a built site if they have an index.html, whatever built it. */
export const usualSites = [
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
] as const

/** Angular names the folder after the project. */
export const isAngularOutput = (folder: string): boolean => /^dist\/[^/]+(?:\/browser)?$/.test(folder)
