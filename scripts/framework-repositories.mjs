// One repository for each framework and package manager that builds from git know: its sources, and what visitors see
// once it was pushed. scripts/frameworks.mjs --git pushes and visits them.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { frameworks } from './framework-apps.mjs'
import { maxBuffer, root, run, visitAll, write } from './framework-platform.mjs'
import { programs } from './framework-programs.mjs'

const { next, nitro, sveltekit, astro, procfile } = frameworks

const reactPages = {
  'app/layout.jsx': next.files['app/layout.jsx'],
  'app/page.jsx': next.files['app/page.jsx'],
}
const nextScripts = { build: 'next build', start: 'next start' }
const viteSite = {
  'index.html': '<!doctype html><p>hello from Vite</p><script type="module" src="/src/main.js"></script>\n',
  'src/main.js': "import { nanoid } from 'nanoid'\nconsole.log(nanoid())\n",
}

const only = (all, ...names) => Object.fromEntries(names.map(name => [name, all[name]]))

/** `is` is what the platform takes it for. */
export const repositories = {
  'next-standalone': { ...next, scripts: nextScripts },
  'next-start': {
    is: 'Next.js standalone',
    packages: next.packages,
    scripts: nextScripts,
    files: reactPages,
    pages: { '/': 'try-next-start</p>' },
  },
  'next-export': {
    is: 'static',
    packages: next.packages,
    scripts: nextScripts,
    files: {
      'next.config.mjs': "export default { output: 'export' }\n",
      'app/layout.jsx': next.files['app/layout.jsx'],
      'app/page.jsx': 'export default () => <p>hello from an export</p>\n',
    },
    pages: { '/': 'hello from an export' },
  },
  'pnpm-next': {
    is: 'Next.js standalone',
    manager: 'pnpm',
    packages: next.packages,
    scripts: nextScripts,
    files: reactPages,
    pages: { '/': 'try-pnpm-next</p>' },
  },
  'next-server': {
    is: 'Next.js standalone',
    manager: 'pnpm',
    packages: next.packages,
    scripts: { build: 'next build', start: 'NODE_ENV=production node server.js' },
    files: {
      ...reactPages,
      'server.js': `import { createServer } from 'node:http'
import next from 'next'
const app = next({})
await app.prepare()
const handle = app.getRequestHandler()
createServer((req, res) => (req.url === '/own' ? res.end('a route of its own') : handle(req, res)))
  .listen(process.env.PORT, process.env.HOSTNAME)\n`,
    },
    pages: { '/': 'try-next-server</p>', '/own': 'a route of its own' },
  },
  // The lock file lies above the app, so Next.js writes its server below .next/standalone/apps/web. A Procfile says so.
  'next-workspace': {
    is: 'Procfile',
    root: 'apps/web',
    packages: next.packages,
    scripts: nextScripts,
    files: {
      'apps/web/next.config.mjs': "export default { transpilePackages: ['words'] }\n",
      'apps/web/app/layout.jsx': next.files['app/layout.jsx'],
      'apps/web/app/page.jsx': `import { hello } from 'words'
export const dynamic = 'force-dynamic'
export default () => <p>{hello(process.env.SVC_PROJECT)}</p>\n`,
      'apps/web/public/note.txt': 'a file of its own',
      'packages/words/package.json': '{ "name": "words", "version": "1.0.0", "main": "index.js" }\n',
      'packages/words/index.js': "exports.hello = name => 'hello from ' + name\n",
    },
    pages: { '/': 'hello from try-next-workspace', '/note.txt': 'a file of its own' },
  },
  nuxt: {
    is: 'Nitro',
    manager: 'pnpm',
    packages: ['nuxt@~4.1.0', 'vue@3', 'vue-router@4'],
    scripts: { build: 'nuxt build', postinstall: 'nuxt prepare' },
    files: {
      'nuxt.config.ts':
        "export default defineNuxtConfig({ compatibilityDate: '2025-01-01', telemetry: false })\n",
      'app/app.vue':
        '<template><p>hello from {{ project }}</p></template>\n<script setup>const project = useState("p", () => process.env.SVC_PROJECT)</script>\n',
      'public/note.txt': 'a file of its own',
    },
    pages: { '/': 'hello from try-nuxt', '/note.txt': 'a file of its own' },
  },
  nitro: { ...nitro, manager: 'yarn', scripts: { build: 'nitro build' } },
  sveltekit: { ...sveltekit, manager: 'pnpm', scripts: { build: 'vite build' } },
  astro: { ...astro, scripts: { build: 'astro build' } },
  'astro-packages': {
    ...astro,
    manager: 'pnpm',
    scripts: { build: 'astro build' },
    files: {
      ...astro.files,
      // Its server imports packages that are not part of the build.
      'astro.config.mjs': astro.files['astro.config.mjs'].replace(
        'vite: { ssr: { noExternal: true } }, ',
        '',
      ),
    },
  },
  'astro-static': {
    is: 'static',
    manager: 'yarn',
    packages: ['astro@5'],
    scripts: { build: 'astro build' },
    files: { 'src/pages/index.astro': '<html><body>hello from Astro</body></html>\n' },
    pages: { '/': 'hello from Astro' },
  },
  'sveltekit-static': {
    is: 'static',
    packages: [...sveltekit.packages, '@sveltejs/adapter-static@3'],
    scripts: { build: 'vite build' },
    files: {
      ...only(sveltekit.files, 'vite.config.js', 'src/app.html'),
      'svelte.config.js':
        "import adapter from '@sveltejs/adapter-static'\nexport default { kit: { adapter: adapter() } }\n",
      'src/routes/+layout.js': 'export const prerender = true\n',
      'svc.json': '{ "spa": false }\n',
      'src/routes/+page.svelte': '<p>hello from pages made before</p>\n',
    },
    pages: { '/': 'hello from pages made before' },
  },
  'react-router-spa': {
    is: 'static',
    ...only(frameworks['react-router'], 'packages', 'save'),
    scripts: { build: 'react-router build' },
    files: {
      ...frameworks['react-router'].files,
      'app/home.jsx': 'export default () => <p>hello from the browser</p>\n',
      'react-router.config.js': 'export default { ssr: false }\n',
      'svc.json': '{ "spa": true }\n',
    },
    pages: { '/': '<script', '/settings': '<script' },
  },
  vitepress: {
    is: 'static',
    packages: ['vitepress@1'],
    save: '--save-dev',
    scripts: { 'docs:build': 'vitepress build docs' },
    files: { 'docs/index.md': '# hello from VitePress\n' },
    pages: { '/': 'hello from VitePress' },
  },
  // It has no script `build`, so svc.json chooses one.
  storybook: {
    is: 'static',
    packages: ['storybook@10', '@storybook/react-vite@10', 'react@19', 'react-dom@19', 'vite@7'],
    scripts: { 'build-storybook': 'storybook build --disable-telemetry' },
    files: {
      'svc.json': '{ "build": "npm run build-storybook", "output": "storybook-static" }\n',
      '.storybook/main.js':
        "export default { stories: ['../src/*.stories.jsx'], framework: '@storybook/react-vite' }\n",
      'src/button.stories.jsx':
        'export default { component: () => <button>hello</button> }\nexport const Plain = {}\n',
    },
    pages: { '/': 'storybook' },
  },
  gatsby: {
    is: 'static',
    packages: ['gatsby@5', 'react@18', 'react-dom@18'],
    scripts: { build: 'gatsby build' },
    module: false,
    files: {
      'src/pages/index.js': "import * as React from 'react'\nexport default () => <p>hello from Gatsby</p>\n",
    },
    pages: { '/': 'hello from Gatsby' },
  },
  // The app is built by `turbo` after the package that it uses.
  turborepo: {
    is: 'static',
    root: 'apps/web',
    packages: ['vite@7', 'turbo@2', 'words@1.0.0'],
    scripts: { build: 'turbo run bundle --filter=turborepo', bundle: 'vite build' },
    files: {
      'turbo.json': '{ "tasks": { "bundle": { "dependsOn": ["^bundle"], "outputs": ["dist/**"] } } }\n',
      'apps/web/index.html':
        '<!doctype html><title>hello from Turborepo</title><script type="module" src="main.js"></script>\n',
      'apps/web/main.js': "import { words } from 'words'\ndocument.body.append(words)\n",
      'packages/words/package.json':
        '{ "name": "words", "version": "1.0.0", "type": "module", "exports": "./dist/index.js", "scripts": { "bundle": "mkdir -p dist && cp index.js dist/" } }\n',
      'packages/words/index.js': "export const words = 'made before'\n",
    },
    pages: { '/': 'hello from Turborepo' },
  },
  'vite-npm': {
    is: 'static',
    packages: ['vite@7', 'nanoid@5'],
    scripts: { build: 'vite build', dev: 'vite' },
    files: viteSite,
    pages: { '/': 'hello from Vite' },
  },
  'vite-yarn-berry': {
    is: 'static',
    manager: 'yarnBerry',
    packages: ['vite@7', 'nanoid@5'],
    scripts: { build: 'vite build' },
    files: { ...viteSite, '.yarnrc.yml': 'nodeLinker: node-modules\n' },
    pages: { '/': 'hello from Vite' },
  },
  'vite-yarn-pnp': {
    is: 'static',
    manager: 'yarnBerry',
    packages: ['vite@7', 'nanoid@5'],
    scripts: { build: 'vite build' },
    files: viteSite,
    pages: { '/': 'hello from Vite' },
  },
  'vite-bun': {
    is: 'static',
    manager: 'bun',
    packages: ['vite@7', 'nanoid@5'],
    scripts: { build: 'vite build' },
    files: viteSite,
    pages: { '/': 'hello from Vite' },
  },
  'react-router': { ...frameworks['react-router'], manager: 'pnpm' },
  procfile,
  'procfile-pnpm': {
    is: 'Procfile',
    manager: 'pnpm',
    packages: ['express@5'],
    files: { Procfile: 'web: node app.js\n', 'app.js': frameworks['pnpm-express'].files['app.js'] },
    pages: { '/': 'hello from Express' },
    hidden: ['/app.js', '/package.json'],
  },
  'procfile-yarn': {
    is: 'Procfile',
    manager: 'yarn',
    packages: ['express@5'],
    files: { Procfile: 'web: node app.js\n', 'app.js': frameworks['pnpm-express'].files['app.js'] },
    pages: { '/': 'hello from Express' },
    hidden: ['/app.js', '/package.json'],
  },
  'pnpm-workspace': {
    is: 'static',
    root: 'apps/web',
    lock: ['npx', '--yes', 'pnpm@10', 'install', '--lockfile-only'],
    files: {
      'package.json': '{ "private": true }\n',
      'pnpm-workspace.yaml': "packages: ['apps/*', 'packages/*']\nonlyBuiltDependencies: [esbuild]\n",
      'apps/web/package.json':
        '{ "name": "web", "private": true, "type": "module", "scripts": { "build": "vite build" }, "devDependencies": { "vite": "7" }, "dependencies": { "words": "workspace:*" } }\n',
      'apps/web/index.html':
        '<!doctype html><title>hello from a workspace</title><script type="module" src="main.js"></script>\n',
      'apps/web/main.js': "import { words } from 'words'\ndocument.body.append(words)\n",
      'packages/words/package.json':
        '{ "name": "words", "version": "1.0.0", "type": "module", "exports": "./index.js" }\n',
      'packages/words/index.js': "export const words = 'of a package'\n",
    },
    pages: { '/': 'hello from a workspace' },
  },
  // Newer versions need packages that not every mirror of the registry has.
  eleventy: {
    is: 'static',
    packages: ['@11ty/eleventy@3.1.2'],
    save: '--save-dev',
    scripts: { build: 'eleventy' },
    files: { 'index.md': '---\ntitle: Shop\n---\nhello from *Eleventy*\n' },
    pages: { '/': 'hello from <em>Eleventy</em>' },
  },
  'react-router-npm': frameworks['react-router'],
  'solid-start': {
    is: 'Nitro',
    packages: ['@solidjs/start@1', '@solidjs/router@0.15', 'solid-js@1', 'vinxi@0.5'],
    scripts: { dev: 'vinxi dev', build: 'vinxi build', start: 'vinxi start' },
    files: {
      'app.config.ts':
        "import { defineConfig } from '@solidjs/start/config'\nexport default defineConfig({})\n",
      'tsconfig.json':
        '{ "compilerOptions": { "target": "ESNext", "module": "ESNext", "moduleResolution": "bundler", "jsx": "preserve", "jsxImportSource": "solid-js", "strict": true, "noEmit": true } }\n',
      'src/app.tsx': `import { Router } from '@solidjs/router'
import { FileRoutes } from '@solidjs/start/router'
import { Suspense } from 'solid-js'
export default () => <Router root={props => <Suspense>{props.children}</Suspense>}><FileRoutes /></Router>\n`,
      'src/entry-client.tsx': `// @refresh reload
import { mount, StartClient } from '@solidjs/start/client'
mount(() => <StartClient />, document.getElementById('app')!)\n`,
      'src/entry-server.tsx': `// @refresh reload
import { createHandler, StartServer } from '@solidjs/start/server'
export default createHandler(() => (
  <StartServer document={({ assets, children, scripts }) => (
    <html lang="en"><head>{assets}</head><body><div id="app">{children}</div>{scripts}</body></html>
  )} />
))\n`,
      'src/routes/index.tsx': 'export default () => <p>hello from SolidStart</p>\n',
      'src/routes/api/hello.ts': "export const GET = () => new Response('an endpoint')\n",
    },
    pages: { '/': 'hello from SolidStart', '/api/hello': 'an endpoint' },
  },
  ...programs,
}

/** Adds the packages to package.json and writes the lock file. The packages themselves are installed by the build. */
const lockers = {
  npm: (save, packages) => ['npm', 'install', '--package-lock-only', save, ...packages],
  pnpm: (save, packages) => ['npx', '--yes', 'pnpm@10', 'add', '--lockfile-only', save, ...packages],
  yarn: (save, packages) => {
    const dev = save === '--save-dev' ? ['--dev'] : []
    return ['npx', '--yes', 'yarn@1', 'add', '--ignore-scripts', ...dev, ...packages]
  },
  yarnBerry: (_save, packages) => {
    const yarn = ['npx', '--yes', '--package=@yarnpkg/cli-dist@4', 'yarn', 'add']
    return [...yarn, '--mode=update-lockfile', ...packages]
  },
  bun: (_save, packages) => ['npx', '--yes', 'bun@1', 'add', '--ignore-scripts', ...packages],
}

/** The templates of the platform, as a project begins with them: without a lock file. */
const ofTemplates = {
  html: { is: 'static', pages: { '/': 'My site' } },
  form: { is: 'static', pages: { '/': 'Contact us' } },
  'vite-react': { is: 'static', pages: { '/': 'Vite and React' } },
  astro: { is: 'static', pages: { '/': 'Change src/pages/index.astro' } },
  eleventy: { is: 'static', pages: { '/': 'The first post', '/posts/first/': 'Write in Markdown' } },
  nextjs: { is: 'Next.js standalone', pages: { '/': 'The server made this page' } },
  sveltekit: { is: 'SvelteKit', pages: { '/': 'The server made this page' } },
  hono: { is: 'Node.js', pages: { '/': 'Hono answers', '/api/hello/ada': '"ada"' } },
}
for (const [name, { is, pages }] of Object.entries(ofTemplates))
  repositories[`template-${name}`] = { is, pages, files: filesOfTemplate(name) }

function filesOfTemplate(name) {
  const dir = join(root, 'packages/server/templates', name)
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = files.map(entry => relative(dir, join(entry.parentPath, entry.name)))
  return Object.fromEntries(
    paths.map(path => [path === 'gitignore' ? '.gitignore' : path, readFileSync(join(dir, path), 'utf8')]),
  )
}

const ignored = 'node_modules\n.next\n.nuxt\n.output\ndist\nbuild\n.svelte-kit\n.astro\n.yarn\n.pnp.*\n'

export async function tryRepository(platform, work, name) {
  const repository = repositories[name]
  const {
    is,
    manager = 'npm',
    packages = [],
    save = '--save',
    scripts,
    module = true,
    files,
    lock,
    root: app,
    ...seen
  } = repository
  const project = `try-${name}`
  const dir = join(work, name)
  const manifest = { name, private: true, ...(module && { type: 'module' }), ...(scripts && { scripts }) }
  const needsManifest = packages.length > 0
  write(dir, {
    ...(needsManifest && { [join(app ?? '', 'package.json')]: JSON.stringify(manifest) }),
    ...(app && {
      'package.json': JSON.stringify({
        private: true,
        packageManager: 'npm@10.8.2',
        workspaces: ['apps/*', 'packages/*'],
      }),
    }),
    '.gitignore': ignored,
    ...files,
  })
  if (packages.length > 0) {
    const inside = app ? ['--workspace', app] : []
    const [program, ...args] = lockers[manager](save, [...inside, ...packages])
    await run(program, args, { cwd: dir, env: { ...process.env, CI: '' }, maxBuffer })
  }
  if (lock) await run(lock[0], lock.slice(1), { cwd: dir, env: { ...process.env, CI: '' }, maxBuffer })
  const clone = cloneOf(dir)
  const { live, taken, deployed, took, log } = await pushProject(platform, work, dir, project, app)
  // Warnings of the platform. Frameworks have their own. Behind some mirrors of the registry, npm writes lock files that do not fit.
  if (/^remote: Warning: (?!package-lock.json does not fit)/m.test(log)) throw new Error(`warned:\n${log}`)
  if (taken !== is) throw new Error(`taken for ${taken}:\n${log}`)
  await visitAll(live, seen)
  const pushed = `ok, ${taken}, ${took}, ${deployed} files, ${versionsIn(join(dir, app ?? '', 'package.json'))}`
  return `${pushed}; ${await buildAndDeploy(platform, join(clone, app ?? ''), project, repository)}`
}

/** Such folders are not in a repository. */
const left = new Set(['node_modules', '.git'])

/** The folder as a fresh clone has it. */
export function cloneOf(dir, clone = `${dir}-clone`) {
  cpSync(dir, clone, { recursive: true, filter: file => !left.has(basename(file)) })
  return clone
}

async function buildAndDeploy(platform, dir, name, { is, pages, built: { says } = {} }) {
  // A project of its own, since pages show the name of theirs.
  const project = `${name}-2`
  await platform.svc(dir, 'init', project)
  const deploying = platform.svcWith({ PATH: process.env.PATH }, dir, 'deploy', '--build')
  if (says) {
    const { stderr = '' } = await deploying.catch(error => error)
    if (!stderr.includes(says)) throw new Error(`svc deploy --build did not say '${says}':\n${stderr}`)
    return `svc deploy --build says '${says}'`
  }
  const { stdout } = await deploying
  const { taken, deployed } = await newestOf(platform, project)
  if (taken !== is) throw new Error(`svc deploy --build took it for ${taken}:\n${stdout}`)
  await visitAll(/http:\/\/\S+/.exec(stdout)[0], { pages: pagesOf(pages, name, project) })
  return `svc deploy --build: ${taken}, ${deployed} files`
}

/** The same pages, of the other project. */
const pagesOf = (pages, name, project) =>
  Object.fromEntries(Object.entries(pages).map(([path, text]) => [path, text.replace(name, project)]))

/** What was tried. */
function versionsIn(manifest) {
  if (!existsSync(manifest)) return 'no packages'
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'))
  const all = Object.entries({ ...dependencies, ...devDependencies })
  return all.map(([name, version]) => `${name} ${version}`).join(', ')
}

/** Connects a folder to a project of its own and pushes it. `app` is the folder in it that is built, if not all of it. */
export async function pushProject(platform, work, dir, project, app) {
  await platform.svc(dir, 'init', project)
  await platform.svc(dir, 'git', 'connect', `ada/${project}`, ...(app ? ['--root', app] : []))
  const registry = registryVariables()
  if (registry.length > 0) await platform.svc(dir, 'env', 'set', ...registry, '--scope', 'build')
  const begun = performance.now()
  const log = await push(platform, work, dir, project)
  const took = `${((performance.now() - begun) / 1000).toFixed(0)} s`
  const live = /Live: (http:\/\/\S+)/.exec(log)?.[1]
  if (!live) throw new Error(`it did not go online:\n${log}`)
  return { live, took, log, ...(await newestOf(platform, project)) }
}

/** What `git push` shows: the build, up to the live URL. */
async function push(platform, work, dir, project) {
  const remote = `${platform.url.replace('//', `//git:${platform.token}@`)}/git/ada/${project}.git`
  const identity = { name: 'Ada', email: 'ada@example.com' }
  const env = {
    PATH: process.env.PATH,
    HOME: join(work, 'git-home'),
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  }
  mkdirSync(env.HOME, { recursive: true })
  const git = (...args) => run('git', args, { cwd: dir, env, maxBuffer })
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '--all')
  await git('commit', '--quiet', '-m', 'First version')
  return (await git('push', remote, 'main')).stderr
}

/** Builds see nothing of this machine's environment, so a registry of its own and its certificates are set as variables. */
function registryVariables() {
  const { npm_config_registry: registry, NODE_EXTRA_CA_CERTS: authorities } = process.env
  return [
    ...(registry ? [`npm_config_registry=${registry}`] : []),
    ...(authorities ? [`NODE_EXTRA_CA_CERTS=${authorities}`] : []),
  ]
}

export async function newestOf(platform, project) {
  const answer = await fetch(`${platform.url}/projects/${project}`, {
    headers: { authorization: `Bearer ${platform.token}` },
  })
  const [newest] = (await answer.json()).deployments
  return { taken: newest.framework ?? newest.kind, deployed: newest.file_count }
}
