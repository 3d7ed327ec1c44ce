// The frameworks that an import recognises: how it recognises them, which folder their build copies, and whether the build
// is a server.
import type { Findings } from './findings.ts'
import type { PackageFacts } from './package-json.ts'
import type { ProjectFiles } from './project-files.ts'

export interface Framework {
  name: string
  /** A project with any of these packages uses the framework. */
  packages: readonly string[]
  /** A project with any of these files uses the framework. */
  files?: readonly string[]
  /** The folder whose files the build copies to the root of its output. Undefined if there is none. */
  assets: string | undefined
  /** The output folder of its build, for frameworks without an npm package. */
  output?: string
  builds: 'server' | 'static'
  /** Packages that make a build for the other platform only, and what to use instead. */
  adapters?: Readonly<Record<string, string>>
  /** Packages that make the build a server, or static, whatever `builds` says. */
  serverWith?: readonly string[]
  staticWith?: readonly string[]
}

const svelteAdapter = '@sveltejs/adapter-node for a server, or @sveltejs/adapter-static'
const astroAdapter = '@astrojs/node for a server, or no adapter for a static site'

/** The first match counts. Tools that other frameworks build on come last. */
const frameworks: readonly Framework[] = [
  { name: 'Next.js', packages: ['next'], assets: 'public', builds: 'server' },
  { name: 'Nuxt', packages: ['nuxt', 'nuxt3'], assets: 'public', builds: 'server' },
  {
    name: 'SvelteKit',
    packages: ['@sveltejs/kit'],
    assets: 'static',
    builds: 'server',
    adapters: {
      '@sveltejs/adapter-vercel': svelteAdapter,
      '@sveltejs/adapter-netlify': svelteAdapter,
      '@sveltejs/adapter-auto': svelteAdapter,
    },
    staticWith: ['@sveltejs/adapter-static'],
  },
  {
    name: 'Astro',
    packages: ['astro'],
    assets: 'public',
    builds: 'static',
    adapters: { '@astrojs/vercel': astroAdapter, '@astrojs/netlify': astroAdapter },
    serverWith: ['@astrojs/node'],
  },
  {
    name: 'React Router',
    packages: ['@react-router/serve', '@react-router/node', '@remix-run/serve', '@remix-run/node'],
    assets: 'public',
    builds: 'server',
    adapters: {
      '@vercel/react-router': '@react-router/serve',
      '@vercel/remix': '@remix-run/serve',
      '@netlify/remix-adapter': '@remix-run/serve',
    },
  },
  { name: 'Gatsby', packages: ['gatsby'], assets: 'static', builds: 'static' },
  { name: 'Docusaurus', packages: ['@docusaurus/core'], assets: 'static', builds: 'static' },
  {
    name: 'VitePress',
    packages: ['vitepress'],
    assets: undefined,

    builds: 'static',
  },
  { name: 'Eleventy', packages: ['@11ty/eleventy'], assets: undefined, builds: 'static' },
  { name: 'Create React App', packages: ['react-scripts'], assets: 'public', builds: 'static' },
  { name: 'Vue CLI', packages: ['@vue/cli-service'], assets: 'public', builds: 'static' },
  { name: 'Angular', packages: ['@angular/core'], assets: 'public', builds: 'static' },
  { name: 'Vite', packages: ['vite'], assets: 'public', builds: 'static' },
  {
    name: 'Hugo',
    packages: ['hugo-bin', 'hugo-extended'],
    files: ['hugo.toml', 'hugo.yaml', 'hugo.json', 'config/_default/hugo.toml'],
    assets: 'static',
    builds: 'static',
  },
  {
    name: 'Jekyll',
    packages: [],
    files: ['_config.yml'],
    assets: undefined,
    output: '_site',
    builds: 'static',
  },
]

/** The names of frameworks at Vercel and Netlify. */
const otherNames: Record<string, string> = {
  nextjs: 'Next.js',
  nuxtjs: 'Nuxt',
  sveltekit: 'SvelteKit',
  'sveltekit-1': 'SvelteKit',
  astro: 'Astro',
  remix: 'React Router',
  'react-router': 'React Router',
  gatsby: 'Gatsby',
  docusaurus: 'Docusaurus',
  'docusaurus-2': 'Docusaurus',
  vitepress: 'VitePress',
  eleventy: 'Eleventy',
  'create-react-app': 'Create React App',
  vue: 'Vue CLI',
  angular: 'Angular',
  vite: 'Vite',
  hugo: 'Hugo',
  jekyll: 'Jekyll',
}

export function findFramework(
  facts: PackageFacts,
  files: ProjectFiles,
  root: string,
  told: string | undefined,
): Framework | undefined {
  const at = (path: string) => (root === '' ? path : `${root}/${path}`)
  const name = told !== undefined && Object.hasOwn(otherNames, told) ? otherNames[told] : undefined
  return (
    frameworks.find(framework => framework.name === name) ??
    frameworks.find(
      ({ packages, files: marks }) =>
        packages.some(name => facts.dependencies.has(name)) || marks?.some(mark => files.hasFile(at(mark))),
    )
  )
}

export function isServerBuild(
  { name, builds, serverWith = [], staticWith = [] }: Framework,
  facts: PackageFacts,
  config: string,
): boolean {
  if (name === 'Next.js' && /output\s*:\s*['"]export['"]/.test(config)) return false
  if (name === 'Nuxt' && /\bgenerate\b/.test(facts.buildScript ?? '')) return false
  if (staticWith.some(pack => facts.dependencies.has(pack))) return false
  return builds === 'server' || serverWith.some(pack => facts.dependencies.has(pack))
}

export function checkAdapters(
  { adapters = {} }: Framework,
  facts: PackageFacts,
  path: string,
  findings: Findings,
): void {
  for (const [adapter, instead] of Object.entries(adapters))
    if (facts.dependencies.has(adapter))
      findings.warn(path, `${adapter} builds for another platform. Use ${instead}.`)
}
