// One folder has one answer: these projects go through every way into the platform. A caller tells what it finds out, and the
// suite compares only that.
import { describe, expect, it } from 'vitest'
import { frameworks } from './frameworks.ts'

interface Found {
  /** The build command, as the user sees it. */
  command?: string | undefined
  /** The paths that are published. `undefined` if the build could not run. */
  paths?: string[] | undefined
  /** The folder that is published, or that the user is told to deploy. */
  folder?: string | undefined
  framework?: string | null | undefined
}

interface ProjectCase {
  name: string
  files: Record<string, string>
  /** Files that the build script makes. */
  makes?: Record<string, string>
  found: Found
}

/** For CommonJS and for modules. */
const listens =
  "import('node:http').then(({ createServer }) => createServer((q, s) => s.end('hi')).listen(process.env.PORT, process.env.HOSTNAME))"
const build = 'node make.cjs'
const json = (manifest: object) => JSON.stringify(manifest)

const cases: readonly ProjectCase[] = [
  {
    name: 'Eleventy that another script runs, beside a folder dist',
    files: {
      'package.json': json({
        scripts: { build: 'npm run site', site: build },
        devDependencies: { '@11ty/eleventy': '3' },
      }),
      'dist/index.html': 'old',
    },
    makes: { '_site/index.html': 'new', '_site/feed.xml': '' },
    found: {
      command: 'npm run build',
      paths: ['feed.xml', 'index.html'],
      folder: '_site',
      framework: 'Eleventy',
    },
  },
  {
    name: 'an unknown tool that writes to public',
    files: { 'package.json': json({ scripts: { build } }) },
    makes: { 'public/index.html': 'hi' },
    found: { command: 'npm run build', paths: ['index.html'], folder: 'public', framework: null },
  },
  {
    name: 'pnpm that only packageManager names',
    files: { 'package.json': json({ scripts: { build }, packageManager: 'pnpm@9' }) },
    found: { command: 'pnpm run build', framework: null },
  },
  {
    name: 'a server of its author that shows the pages of its build',
    files: { 'package.json': json({ scripts: { build, start: 'node server.js' } }), 'server.js': listens },
    makes: { 'build/client/index.html': 'hi' },
    found: {
      command: 'npm run build',
      paths: ['build/client/index.html', 'make.cjs', 'package.json', 'server.js'],
      folder: '.',
      framework: null,
    },
  },
  {
    name: 'a Procfile with a space before its colon, beside the pages of a build',
    files: {
      'package.json': json({ scripts: { build } }),
      Procfile: 'web : node server.js\n',
      'server.js': listens,
    },
    makes: { 'dist/index.html': 'hi' },
    found: {
      command: 'npm run build',
      paths: ['Procfile', 'dist/index.html', 'make.cjs', 'package.json', 'server.js'],
      folder: '.',
      framework: null,
    },
  },
  {
    name: 'two frameworks, of which the build script runs one',
    files: {
      'package.json': json({
        scripts: { build: 'npm run vite', vite: build },
        devDependencies: { gatsby: '5', vite: '7' },
      }),
    },
    makes: { 'dist/index.html': 'hi' },
    found: { command: 'npm run build', paths: ['index.html'], folder: 'dist', framework: 'Vite' },
  },
  {
    name: 'Next.js below the root of a workspace',
    files: {
      'package.json': json({ scripts: { build, start: 'next start' }, dependencies: { next: '16' } }),
    },
    makes: {
      '.next/BUILD_ID': '1',
      '.next/static/a.css': '',
      '.next/standalone/apps/web/server.js': listens,
      '.next/standalone/apps/web/.next/BUILD_ID': '1',
    },
    found: {
      command: 'npm run build',
      paths: ['Procfile', 'apps/web/.next/BUILD_ID', 'apps/web/.next/static/a.css', 'apps/web/server.js'],
      folder: '.next/standalone',
      framework: 'Next.js',
    },
  },
  {
    name: 'SvelteKit with a package that its server imports, and one that it does not',
    files: {
      'package.json': json({
        scripts: { build },
        dependencies: { web: '1', unused: '1' },
        devDependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-node': '5' },
      }),
      'node_modules/web/package.json': json({ name: 'web' }),
      'node_modules/web/index.js': '',
      'node_modules/unused/package.json': json({ name: 'unused' }),
      'node_modules/unused/index.js': '',
    },
    makes: { 'build/index.js': `require('web');${listens}`, 'build/handler.js': '' },
    found: {
      command: 'npm run build',
      paths: ['handler.js', 'index.js', 'node_modules/web/index.js', 'node_modules/web/package.json'],
      folder: 'build',
      framework: 'SvelteKit',
    },
  },
]

/** One project for each of the other frameworks. A name that no package has is a script that the build runs. */
const others: readonly [framework: string, uses: string, folder: string, ...files: string[]][] = [
  ['Nuxt', 'nuxt', '.output', 'nitro.json', 'server/index.mjs'],
  ['Nitro', 'nitropack', '.output', 'nitro.json', 'server/index.mjs'],
  ['a framework on Nitro', '@solidjs/start', '.output', 'nitro.json', 'server/index.mjs'],
  ['Qwik', '@builder.io/qwik', 'dist', 'index.html'],
  ['Astro', 'astro', 'dist', 'index.html'],
  ['React Router', '@react-router/node', 'build/client', 'index.html'],
  ['Gatsby', 'gatsby', 'public', 'index.html'],
  ['Docusaurus', '@docusaurus/core', 'build', 'index.html'],
  ['Create React App', 'react-scripts', 'build', 'index.html'],
  ['VitePress', 'vitepress', '.vitepress/dist', 'index.html'],
  ['VuePress', 'vuepress', 'docs/.vuepress/dist', 'index.html'],
  ['Vue CLI', '@vue/cli-service', 'dist', 'index.html'],
  ['Angular', '@angular/core', 'dist/web/browser', 'index.html'],
  ['Hexo', 'hexo', 'public', 'index.html'],
  ['Rspress', '@rspress/core', 'doc_build', 'index.html'],
  ['Stencil', '@stencil/core', 'www', 'index.html'],
  ['Parcel', 'parcel', 'dist', 'index.html'],
  ['Vite', 'vite', 'dist', 'index.html'],
  ['Hugo', 'hugo-bin', 'public', 'index.html'],
  ['Jekyll', 'jekyll', '_site', 'index.html'],
  ['Zola', 'zola', 'public', 'index.html'],
  ['MkDocs', 'mkdocs', 'site', 'index.html'],
  ['mdBook', 'mdbook', 'book', 'index.html'],
]

/** The files by which a framework without a package is recognized. */
const marksOf = (framework: string): Record<string, string> => {
  const [marks = []] = frameworks.find(({ name }) => name === framework)?.marks ?? []
  return Object.fromEntries(marks.map(mark => [mark.endsWith('/') ? `${mark}a.md` : mark, '']))
}

const caseOf = ([framework, uses, folder, ...files]: (typeof others)[number]): ProjectCase => {
  const isPackage = frameworks.some(({ packages }) => packages.includes(uses))
  const manifest = isPackage
    ? { scripts: { build }, devDependencies: { [uses]: '1' } }
    : { scripts: { build: `npm run ${uses}`, [uses]: build } }
  return {
    name: framework,
    files: { 'package.json': json(manifest), ...(isPackage ? {} : marksOf(framework)) },
    makes: Object.fromEntries(files.map(file => [`${folder}/${file}`, listens])),
    found: { command: 'npm run build', paths: files, folder, framework },
  }
}

const all = [...cases, ...others.map(caseOf)]

export const frameworksWithCase = new Set(all.map(({ found }) => found.framework))

/** `look` returns what the caller finds out about a project. It leaves out what it does not know. */
export function describeProjects(
  caller: string,
  look: (files: Record<string, string>) => Promise<Found>,
): void {
  describe(`a project, ${caller}`, () => {
    it.each(all)('$name', async ({ files, makes = {}, found }) => {
      const script = `for (const [path, text] of Object.entries(${json(makes)})) {
  require('node:fs').mkdirSync(require('node:path').dirname(path), { recursive: true })
  require('node:fs').writeFileSync(path, text)
}`
      const seen = await look({ ...files, 'make.cjs': script })
      const known = Object.keys(seen).filter(key => found[key as keyof Found] !== undefined)
      const wanted = Object.fromEntries(known.map(key => [key, found[key as keyof Found]]))
      expect(seen).toMatchObject(wanted)
    })
  })
}
