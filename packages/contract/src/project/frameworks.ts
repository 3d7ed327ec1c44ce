// The frameworks that the platform knows, as data: by what a project that uses one is recognized, and what its build makes.
// Nothing else knows a framework by its name.
import type { Framework, ServerOutput } from './framework.ts'
import { type PackageJson, packagesUsedBy } from './package-json.ts'
import type { FrameworkId } from './servers.ts'

const nitro: ServerOutput = { folder: '.output', framework: 'nitro', packages: 'inside' }
const svelteAdapter = '@sveltejs/adapter-node for a server, or @sveltejs/adapter-static'
const astroAdapter = '@astrojs/node for a server, or no adapter for a static site'

/** In the order of detection. A framework comes before the tools that it uses. */
export const frameworks: readonly Framework[] = [
  {
    name: 'Next.js',
    otherNames: ['nextjs'],
    packages: ['next'],
    programs: ['next'],
    server: {
      folder: '.next/standalone',
      framework: 'next',
      packages: 'inside',
      nests: true,
      replacesStart: 'next-start',
      howToMake:
        "Next.js is deployed from its standalone build. Set output: 'standalone' in next.config, run 'npm run build'",
      adds: ['.next/static', 'public'],
    },
    starts: { next: { start: { framework: 'next-start', needs: '.next/BUILD_ID' }, '*': 'development' } },
    sites: ['out'],
    assets: 'public',
    caches: ['.next/cache'],
    env: { NEXT_PRIVATE_STANDALONE: 'true' },
    makesServer: true,
    isStatic: { config: /output\s*:\s*['"]export['"]/ },
    config: {
      files: ['next.config.js', 'next.config.mjs', 'next.config.ts', 'next.config.cjs'],
      rules: ['redirects', 'rewrites', 'headers'],
      advice: {
        unless: /output\s*:\s*['"]standalone['"]/,
        text: "Add output: 'standalone' to make a much smaller deployment.",
      },
    },
    // More than 100 MB of compiled code.
    buildPackages: '@next/swc-',
  },
  {
    name: 'Nuxt',
    otherNames: ['nuxtjs'],
    packages: ['nuxt', 'nuxt3'],
    programs: ['nuxt', 'nuxi'],
    server: nitro,
    sites: ['.output/public', 'dist'],
    assets: 'public',
    caches: ['node_modules/.cache'],
    makesServer: true,
    isStatic: { script: /\bgenerate\b/ },
  },
  {
    name: 'Nitro',
    packages: ['nitropack', 'nitro'],
    programs: ['nitro', 'nitropack'],
    server: nitro,
    sites: [],
    assets: 'public',
    makesServer: true,
  },
  {
    name: 'a framework on Nitro',
    packages: ['@solidjs/start', '@tanstack/react-start', '@tanstack/solid-start', '@analogjs/platform'],
    programs: ['vinxi'],
    server: nitro,
    sites: ['.output/public'],
    assets: 'public',
    makesServer: true,
  },
  {
    name: 'Qwik',
    packages: ['@builder.io/qwik', '@qwik.dev/core'],
    programs: ['qwik'],
    // With a server, dist holds only what browsers load.
    sites: [],
    assets: 'public',
    hint: "Qwik makes a site or a server with an integration: run 'npm run qwik add static' for a site. For a server, run 'npm run qwik add express', and set the script start to 'node server/entry.express'.",
  },
  {
    name: 'SvelteKit',
    otherNames: ['sveltekit', 'sveltekit-1'],
    packages: ['@sveltejs/kit'],
    programs: ['svelte-kit'],
    server: { folder: 'build', framework: 'sveltekit', packages: 'outside' },
    sites: ['build'],
    assets: 'static',
    // adapter-auto then installs and uses adapter-node. It knows this platform by no other variable.
    sandboxEnv: { GCP_BUILDPACKS: 'true' },
    hint: "SvelteKit makes a server with adapter-node: run 'npm install --save-dev @sveltejs/adapter-node', and import it in svelte.config.js (or vite.config) in place of @sveltejs/adapter-auto. For a static site, use @sveltejs/adapter-static.",
    makesServer: { without: ['@sveltejs/adapter-static'] },
    adapters: {
      '@sveltejs/adapter-vercel': svelteAdapter,
      '@sveltejs/adapter-netlify': svelteAdapter,
      '@sveltejs/adapter-auto': svelteAdapter,
    },
  },
  {
    name: 'Astro',
    otherNames: ['astro'],
    packages: ['astro'],
    programs: ['astro'],
    server: { folder: 'dist', framework: 'astro', packages: 'outside' },
    sites: ['dist'],
    assets: 'public',
    caches: ['node_modules/.astro'],
    makesServer: { with: ['@astrojs/node'] },
    adapters: { '@astrojs/vercel': astroAdapter, '@astrojs/netlify': astroAdapter },
  },
  {
    name: 'React Router',
    otherNames: ['remix', 'react-router'],
    packages: ['@react-router/serve', '@react-router/node', '@remix-run/serve', '@remix-run/node'],
    programs: ['react-router', 'remix'],
    starts: {
      'react-router-serve': { '*': { framework: 'react-router', needs: 'entry' } },
      'remix-serve': { '*': { framework: 'react-router', needs: 'entry' } },
    },
    sites: [],
    assets: 'public',
    makesServer: true,
    adapters: {
      '@vercel/react-router': '@react-router/serve',
      '@vercel/remix': '@remix-run/serve',
      '@netlify/remix-adapter': '@remix-run/serve',
    },
  },
  {
    name: 'Gatsby',
    otherNames: ['gatsby'],
    packages: ['gatsby'],
    programs: ['gatsby'],
    sites: ['public'],
    assets: 'static',
    caches: ['.cache', 'public'],
  },
  {
    name: 'Docusaurus',
    otherNames: ['docusaurus', 'docusaurus-2'],
    packages: ['@docusaurus/core'],
    programs: ['docusaurus'],
    sites: ['build'],
    assets: 'static',
    caches: ['.docusaurus', 'node_modules/.cache'],
  },
  {
    name: 'Eleventy',
    otherNames: ['eleventy'],
    packages: ['@11ty/eleventy'],
    programs: ['11ty', 'eleventy'],
    sites: ['_site'],
    assets: undefined,
    caches: ['.cache'],
  },
  {
    name: 'Create React App',
    otherNames: ['create-react-app'],
    packages: ['react-scripts', '@craco/craco', 'react-app-rewired'],
    programs: ['react-scripts', 'craco', 'react-app-rewired'],
    sites: ['build'],
    assets: 'public',
    caches: ['node_modules/.cache'],
  },
  {
    name: 'VitePress',
    otherNames: ['vitepress'],
    packages: ['vitepress'],
    programs: ['vitepress'],
    buildScripts: ['docs:build'],
    sites: ['.vitepress/dist', 'docs/.vitepress/dist'],
    assets: undefined,
    caches: ['.vitepress/cache', 'docs/.vitepress/cache'],
  },
  {
    name: 'VuePress',
    packages: ['vuepress'],
    programs: ['vuepress'],
    buildScripts: ['docs:build'],
    sites: ['.vuepress/dist', 'docs/.vuepress/dist'],
    assets: undefined,
  },
  {
    name: 'Vue CLI',
    otherNames: ['vue'],
    packages: ['@vue/cli-service'],
    programs: ['vue-cli-service'],
    sites: [],
    assets: 'public',
  },
  {
    name: 'Angular',
    otherNames: ['angular'],
    packages: ['@angular/core'],
    programs: ['ng'],
    server: { folder: 'dist/*', framework: 'angular', packages: 'bundled' },
    sites: [],
    assets: 'public',
    caches: ['.angular/cache'],
  },
  { name: 'Hexo', packages: ['hexo'], programs: ['hexo'], sites: ['public'], assets: undefined },
  {
    name: 'Rspress',
    packages: ['@rspress/core', 'rspress'],
    programs: ['rspress'],
    sites: ['doc_build'],
    assets: undefined,
  },
  { name: 'Stencil', packages: ['@stencil/core'], programs: ['stencil'], sites: ['www'], assets: undefined },
  {
    name: 'Parcel',
    packages: ['parcel'],
    programs: ['parcel'],
    hasPageInSources: true,
    sites: ['dist'],
    assets: undefined,
    caches: ['.parcel-cache'],
  },
  {
    name: 'Vite',
    otherNames: ['vite'],
    packages: ['vite'],
    programs: ['vite'],
    hasPageInSources: true,
    sites: [],
    assets: 'public',
  },
  {
    name: 'Zola',
    otherNames: ['zola'],
    packages: [],
    programs: ['zola'],
    marks: [['config.toml', 'content/', 'templates/']],
    tool: { builds: 'a Zola site', program: 'zola', line: 'zola build', debian: undefined },
    sites: ['public'],
    assets: 'static',
  },
  {
    name: 'Hugo',
    otherNames: ['hugo'],
    packages: ['hugo-bin', 'hugo-extended'],
    programs: ['hugo'],
    marks: [
      ...['hugo.toml', 'hugo.yaml', 'hugo.yml', 'hugo.json', 'config/_default/hugo.toml'].map(file => [file]),
      ...['config.toml', 'config.yaml', 'config.yml'].map(config => [config, 'content/']),
    ],
    tool: {
      builds: 'a Hugo site',
      program: 'hugo',
      line: 'hugo',
      debian: 'hugo',
      hint: "Or add a package.json with the package hugo-extended and the build script 'hugo', and push it: the platform builds it.",
    },
    sites: ['public'],
    assets: 'static',
  },
  {
    name: 'Jekyll',
    otherNames: ['jekyll'],
    packages: [],
    programs: ['jekyll'],
    marks: [['_config.yml'], ['_config.yaml']],
    tool: { builds: 'a Jekyll site', program: 'jekyll', line: 'jekyll build', debian: 'jekyll' },
    sites: ['_site'],
    assets: undefined,
    // With a Gemfile, Jekyll otherwise wants its packages from Bundler.
    env: { JEKYLL_ENV: 'production', JEKYLL_NO_BUNDLER_REQUIRE: 'true' },
  },
  {
    name: 'MkDocs',
    otherNames: ['mkdocs'],
    packages: [],
    programs: ['mkdocs'],
    marks: [['mkdocs.yml'], ['mkdocs.yaml']],
    tool: { builds: 'an MkDocs site', program: 'mkdocs', line: 'mkdocs build', debian: 'mkdocs' },
    sites: ['site'],
    assets: undefined,
  },
  {
    name: 'mdBook',
    packages: [],
    programs: ['mdbook'],
    marks: [['book.toml']],
    tool: { builds: 'an mdBook', program: 'mdbook', line: 'mdbook build', debian: undefined },
    sites: ['book'],
    assets: undefined,
  },
]

/** The frameworks that a project may be built with: first those that its build script runs, then those that it depends on. */
export function frameworksOf(manifest: PackageJson): Framework[] {
  const used = packagesUsedBy(manifest)
  const words = scriptWords(manifest.scripts, buildScript(manifest.scripts))
  return [
    ...new Set([
      ...frameworks.filter(({ programs }) => programs.some(program => words.has(program))),
      ...frameworks.filter(({ packages }) => packages.some(name => used.has(name))),
    ]),
  ]
}

/** The words of a script, and of those that it runs. */
function scriptWords(scripts: ReadonlyMap<string, string>, name: string | undefined): Set<string> {
  const names = new Set(name === undefined ? [] : [name])
  const words = new Set<string>()
  for (const each of names)
    for (const [i, word] of (scripts.get(each) ?? '').split(/[\s;&|]+/).entries()) {
      words.add(word)
      if (i > 0 && scripts.has(word)) names.add(word)
    }
  return words
}

/** The name of the script that builds the site. */
export function buildScript(scripts: ReadonlyMap<string, string>): string | undefined {
  if (scripts.has('build')) return 'build'
  if (scripts.has('start')) return undefined
  for (const { programs, buildScripts = [] } of frameworks)
    for (const name of buildScripts)
      if (programs.some(program => scripts.get(name)?.includes(`${program} build`))) return name
  return undefined
}

/** The framework whose server takes the place of one that a start script starts. */
export const replacementOf = (started: FrameworkId): Framework | undefined =>
  frameworks.find(({ server }) => server?.replacesStart === started)
