import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findOutput, type ProjectFiles } from '@svc/contract/project'
import { describe, expect, it, onTestFinished } from 'vitest'
import { planBuild } from './plan.ts'

/** A repository with these files, by path and content. */
function repository(files: Record<string, string | object>): ProjectFiles {
  const texts = new Map(
    Object.entries(files).map(([path, it]) => [path, typeof it === 'string' ? it : JSON.stringify(it)]),
  )
  const paths = [...texts.keys()]
  return {
    hasFile: async path => texts.has(path),
    hasFolder: async path => paths.some(file => file.startsWith(`${path}/`)),
    read: async path => texts.get(path),
    folders: async path => [
      ...new Set(
        paths
          .filter(file => file.startsWith(`${path}/`))
          .map(file => file.slice(path.length + 1))
          .filter(file => file.includes('/'))
          .map(file => file.split('/')[0] ?? ''),
      ),
    ],
  }
}

const own = { build_cmd: null, install_cmd: null, output_dir: null, root_dir: null }
const manifest = { name: 'x', scripts: { build: 'vite build' } }
const berryLock = (version: number) => `# generated\n\n__metadata:\n  version: ${version}\n  cacheKey: 10\n`

describe('the plan of a build', () => {
  it.each([
    ['npm', { 'package-lock.json': '{}' }, 'npm ci --no-audit --no-fund', 'npm ci'],
    ['npm, by its other lock file', { 'npm-shrinkwrap.json': '{}' }, 'npm ci', 'npm ci'],
    ['npm, without a lock file', {}, 'npm install', 'npm install'],
    ['pnpm', { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" }, 'pnpm install --frozen-lockfile', 'pnpm@10'],
    ['pnpm 8', { 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" }, 'pnpm install', 'corepack pnpm@8'],
    ['pnpm 7', { 'pnpm-lock.yaml': 'lockfileVersion: 5.4\n' }, 'pnpm install', 'npx --yes pnpm@7'],
    ['yarn 1', { 'yarn.lock': '# yarn lockfile v1\n' }, 'yarn install --frozen-lockfile', 'corepack yarn@1'],
    ['yarn 4', { 'yarn.lock': berryLock(8) }, 'yarn install --immutable', 'corepack yarn@4'],
    ['yarn 3', { 'yarn.lock': berryLock(6) }, 'yarn install --immutable', '@yarnpkg/cli-dist@3'],
    ['bun', { 'bun.lock': '{}' }, 'bun install --frozen-lockfile', 'npx --yes bun@1'],
    ['bun, by its binary lock file', { 'bun.lockb': '\0' }, 'bun install', 'bun'],
  ])('installs with %s', async (_name, files, title, line) => {
    const { install, build, manager } = await planBuild(
      repository({ 'package.json': manifest, ...files }),
      own,
    )
    expect(install?.typed).toContain(title)
    expect(install?.line).toContain(line)
    expect(build?.line).toBe(`${manager?.program} run build`)
  })

  it.each([
    [{ 'docs:build': 'vitepress build docs' }, 'npm run docs:build'],
    [{ 'docs:build': 'vuepress build docs' }, 'npm run docs:build'],
    [{ 'docs:build': 'vitepress build docs', build: 'vite build' }, 'npm run build'],
    [{ 'docs:build': 'vitepress build docs', start: 'node server.js' }, undefined],
    [{ 'docs:build': 'typedoc' }, undefined],
    [{}, undefined],
    [{ build: 7 }, undefined],
  ])('runs for the scripts %j %s', async (scripts, line) => {
    const { build } = await planBuild(repository({ 'package.json': { scripts } }), own)
    expect(build?.line).toBe(line)
  })

  it.each([
    [
      'pnpm@9.15.4+sha512.abc',
      'pnpm install --no-frozen',
      'echo corepack pnpm || echo npx --yes pnpm@9.15.4)',
    ],
    ['pnpm@9', 'pnpm install --no-frozen', 'npx --yes pnpm@9)'],
    ['pnpm@12.1.0', 'pnpm install --no-frozen', 'echo env -u npm_config_store_dir npx --yes pnpm@12.1.0)'],
    ['yarn@4.9.1', 'yarn install --no-immutable', '@yarnpkg/cli-dist@4.9.1 yarn)'],
    ['yarn@1.22.22', 'yarn install --non-interactive', 'npx --yes yarn@1.22.22)'],
    ['bun@1.2.0', 'bun install', 'npx --yes bun@1.2.0)'],
    ['npm@10.0.0', 'npm install', 'npm install'],
    ['$(id)@1.0.0', 'npm install', 'npm install'],
    ['pnpm@1.0.0;id', 'pnpm install', 'pnpm@1.0.0)'],
  ])('without a lock file goes by packageManager: %s', async (packageManager, title, line) => {
    const { install } = await planBuild(repository({ 'package.json': { ...manifest, packageManager } }), own)
    expect(install?.typed).toContain(title)
    expect(install?.line).toContain(line)
    expect(install?.line).not.toContain('id)')
  })

  it.each([
    ['works', undefined, 'exit 0', 'corepack pnpm@10'],
    ['cannot fetch the program', undefined, 'echo no signature >&2; exit 1', 'npx --yes pnpm@10'],
    ['works for the pinned version', 'pnpm@9.15.4', 'exit 0', 'corepack pnpm'],
    ['cannot fetch the pinned version', 'pnpm@9.15.4', 'exit 1', 'npx --yes pnpm@9.15.4'],
    ['finds another checksum', 'pnpm@9.15.4+sha512.abc', 'exit 1', 'corepack pnpm'],
  ])('takes the package manager from corepack, or from the registry, if corepack %s', async (...row) => {
    const [, packageManager, corepack, expected] = row
    const bin = mkdtempSync(path.join(tmpdir(), 'svc-corepack-'))
    onTestFinished(() => rmSync(bin, { recursive: true }))
    writeFileSync(path.join(bin, 'corepack'), `#!/bin/sh\n${corepack}\n`, { mode: 0o755 })
    const files = {
      'package.json': { ...manifest, packageManager },
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    }
    const { manager } = await planBuild(repository(files), own)
    const chosen = execFileSync('/bin/sh', ['-c', `echo ${manager?.program}`], { env: { PATH: bin } })
    expect(chosen.toString().trim()).toBe(expected)
  })

  it('of two lock files takes that of packageManager', async () => {
    const files = {
      'package.json': { packageManager: 'npm@10.9.0' },
      'package-lock.json': '{}',
      'pnpm-lock.yaml': '',
    }
    expect((await planBuild(repository(files), own)).install?.typed).toMatch(/^npm ci/)
  })

  it.each([
    ['npm', 'package-lock.json', { packages: { 'apps/web': {} } }],
    ['pnpm', 'pnpm-lock.yaml', "lockfileVersion: '9.0'\n\nimporters:\n\n  apps/web:\n    dependencies: {}\n"],
    ['yarn', 'yarn.lock', `${berryLock(8)}\n"web@workspace:apps/web":\n  version: 0\n`],
    ['yarn', 'yarn.lock', '# yarn lockfile v1\n'],
    ['bun', 'bun.lock', '{ "workspaces": { "apps/web": {} } }'],
  ])(
    'installs the workspace of %s that a folder of a monorepo belongs to (%s)',
    async (name, lockFile, lock) => {
      const files = {
        'package.json': { workspaces: ['apps/*'] },
        'apps/web/package.json': manifest,
        [lockFile]: lock,
      }
      const plan = await planBuild(repository(files), { ...own, root_dir: 'apps/web' })
      expect(plan.manager).toMatchObject({ dir: '', lockFile, manager: { name } })
      expect(plan.install?.dir).toBe('')
      expect(plan.build?.dir).toBe('apps/web')
    },
  )

  it.each([
    ['npm', { 'package.json': { workspaces: ['apps/*'] } }],
    ['npm', { 'package.json': { workspaces: { packages: ['./apps/**'] } } }],
    ['pnpm', { 'package.json': {}, 'pnpm-workspace.yaml': "packages:\n  - 'apps/*'\n" }],
  ])('installs a workspace of %s that has no lock file', async (name, top) => {
    const files = repository({ ...top, 'apps/web/package.json': manifest })
    const { install, manager } = await planBuild(files, { ...own, root_dir: 'apps/web' })
    expect([manager?.manager.name, install?.dir]).toEqual([name, ''])
    const other = repository({ ...top, 'docs/package.json': manifest })
    expect((await planBuild(other, { ...own, root_dir: 'docs' })).install?.dir).toBe('docs')
  })

  it('installs in a folder that no workspace covers by itself', async () => {
    const files = {
      'package.json': { workspaces: ['apps/*'] },
      'package-lock.json': { packages: { 'apps/web': {} } },
      'examples/one/package.json': manifest,
    }
    const plan = await planBuild(repository(files), { ...own, root_dir: 'examples/one' })
    expect(plan.install).toMatchObject({ dir: 'examples/one', typed: expect.stringContaining('npm install') })
  })

  it('runs the commands of the project as they are, in its folder', async () => {
    const settings = { ...own, build_cmd: 'make site', install_cmd: 'make tools', root_dir: 'docs' }
    const plan = await planBuild(repository({ 'docs/Makefile': '' }), settings)
    expect(plan.install).toEqual({ what: 'Installing', typed: 'make tools', line: 'make tools', dir: 'docs' })
    expect(plan.build).toEqual({ what: 'Building', typed: 'make site', line: 'make site', dir: 'docs' })
  })
})

describe('the output of a build', () => {
  const packageOf = (...names: string[]) => ({
    ...manifest,
    devDependencies: Object.fromEntries(names.map(name => [name, '1'])),
  })

  it.each<[string, string[], string[], string | undefined]>([
    ['Vite', ['vite'], ['dist/index.html', 'public/x.svg', 'index.html'], 'dist'],
    ['Next.js standalone', ['next'], ['.next/standalone/server.js', '.next/BUILD_ID'], '.next/standalone'],
    [
      'Next.js in a monorepo',
      ['next'],
      ['server.js', '.next/BUILD_ID'].map(file => `.next/standalone/apps/web/${file}`),
      '.next/standalone',
    ],
    ['a Next.js export', ['next'], ['out/index.html', '.next/BUILD_ID'], 'out'],
    ['Nuxt', ['nuxt'], ['.output/nitro.json', '.output/server/index.mjs', '.output/public/a.js'], '.output'],
    [
      'a generated Nuxt site',
      ['nuxt'],
      ['.output/nitro.json', '.output/public/index.html'],
      '.output/public',
    ],
    ['SvelteKit', ['@sveltejs/kit', 'vite'], ['build/index.js', 'build/handler.js'], 'build'],
    ['a static SvelteKit site', ['@sveltejs/kit'], ['build/index.html'], 'build'],
    ['Astro', ['astro'], ['dist/server/entry.mjs', 'dist/client/a.css'], 'dist'],
    ['an Astro site without a front page', ['astro'], ['dist/en/index.html'], 'dist'],
    ['Gatsby', ['gatsby'], ['public/index.html', 'static/x'], 'public'],
    ['Create React App', ['react-scripts'], ['build/index.html', 'public/index.html'], 'build'],
    ['Eleventy', ['@11ty/eleventy'], ['_site/index.html'], '_site'],
    ['Docusaurus', ['@docusaurus/core'], ['build/index.html'], 'build'],
    ['VitePress', ['vitepress'], ['docs/.vitepress/dist/index.html'], 'docs/.vitepress/dist'],
    ['Angular', ['@angular/core'], ['dist/shop/browser/index.html'], 'dist/shop/browser'],
    [
      'Angular with a server',
      ['@angular/core'],
      [
        ...['dist/shop/browser/index.html', 'dist/shop/server/server.mjs'],
        'dist/shop/server/angular-app-engine-manifest.mjs',
      ],
      'dist/shop',
    ],
    ['a single-page React Router app', ['@react-router/dev'], ['build/client/index.html'], 'build/client'],
    ['nothing', ['vite'], ['src/main.ts'], undefined],
  ])('of %s', async (_name, packages, files, folder) => {
    const built = repository({
      'package.json': packageOf(...packages),
      ...Object.fromEntries(files.map(file => [file, ''])),
    })
    const output = await findOutput(built, await planBuild(built, own))
    expect(output?.dir).toBe(folder)
  })

  it('of a server that a start script starts is the whole folder, with its packages', async () => {
    const built = repository({
      'apps/api/package.json': { scripts: { build: 'tsc', start: 'node dist/server.js' } },
      'apps/api/dist/server.js': '',
    })
    const settings = { ...own, root_dir: 'apps/api' }
    const output = await findOutput(built, await planBuild(built, settings))
    expect(output).toEqual({ dir: 'apps/api', withNodeModules: true, server: undefined, nested: '' })
  })

  it.each([
    ['a server of React Router with prerendered pages', 'react-router-serve ./build/server/index.js', {}, ''],
    ['a server of its own', 'node server', { 'server.js': '' }, ''],
    ['a start script whose file is missing', 'node server.js', {}, 'build/client'],
    [
      'a start script beside the sources of a page',
      'node s.js',
      { 's.js': '', 'index.html': '' },
      'build/client',
    ],
    ['a Procfile beside the sources of a page', 'vite', { Procfile: 'web: node a.js', 'index.html': '' }, ''],
    ['a development tool', 'vite', {}, 'build/client'],
  ])('of %s', async (_name, start, files, folder) => {
    const built = repository({
      'package.json': { scripts: { build: 'react-router build', start } },
      'build/client/index.html': '',
      'build/server/index.js': '',
      ...files,
    })
    expect((await findOutput(built, await planBuild(built, own)))?.dir).toBe(folder)
  })

  it.each([
    ['node server.js', {}, ''],
    ['NODE_ENV=production node dist/server.js', {}, ''],
    ['cross-env NODE_ENV=production tsx server.ts', {}, ''],
    ['npm run serve', { serve: 'node server.js' }, ''],
    ['npm run serve', { serve: 'next start' }, '.next/standalone'],
    ['next start -p $PORT', {}, '.next/standalone'],
    ['NODE_ENV=production node_modules/.bin/next start', {}, '.next/standalone'],
    ['node .next/standalone/server.js', {}, '.next/standalone'],
    ["concurrently 'next start' 'node worker.js'", {}, '.next/standalone'],
    ['next dev', {}, '.next/standalone'],
    ['serve out', {}, '.next/standalone'],
    ['sh start.sh', {}, '.next/standalone'],
  ])('of Next.js with the start script %s %j is "%s"', async (start, scripts, folder) => {
    const built = repository({
      'package.json': {
        ...packageOf('next'),
        scripts: { ...packageOf('next').scripts, ...scripts, start },
      },
      'server.js': '',
      '.next/standalone/server.js': '',
    })
    expect((await findOutput(built, await planBuild(built, own)))?.dir).toBe(folder)
  })

  it.each([
    ['web: node server.js\n', ''],
    ['web: sh start.sh\n', ''],
    ['web: npm start\n', '.next/standalone'],
    ['web: next start\n', '.next/standalone'],
  ])('of Next.js with the Procfile %j is "%s"', async (procfile, folder) => {
    const built = repository({
      'package.json': {
        ...packageOf('next'),
        scripts: { ...packageOf('next').scripts, start: 'next start' },
      },
      Procfile: procfile,
      '.next/standalone/server.js': '',
    })
    expect((await findOutput(built, await planBuild(built, own)))?.dir).toBe(folder)
  })

  it('is the folder that the project names, or nothing', async () => {
    const built = repository({ 'package.json': manifest, 'site/a.html': '', 'dist/index.html': '' })
    const planned = (output_dir: string) => planBuild(built, { ...own, output_dir })
    expect((await findOutput(built, await planned('site')))?.dir).toBe('site')
    expect(await findOutput(built, await planned('other'))).toBeUndefined()
  })
})

describe('svc.json of a repository', () => {
  const files = { 'package.json': manifest, 'site/a.html': '', 'dist/index.html': '', 'other/a.html': '' }

  it('names the build command and the folder to publish, of the folder that is built', async () => {
    const settings = { project: 'x', build: 'make site', output: './site/' }
    const built = repository({ ...files, 'svc.json': settings })
    const plan = await planBuild(built, own)
    expect(plan.build).toEqual({ what: 'Building', typed: 'make site', line: 'make site', dir: '' })
    expect((await findOutput(built, plan))?.dir).toBe('site')
    const deep = repository({
      'apps/web/svc.json': settings,
      'apps/web/site/a.html': '',
      'svc.json': 'broken',
    })
    const there = await planBuild(deep, { ...own, root_dir: 'apps/web' })
    expect(there.build?.dir).toBe('apps/web')
    expect((await findOutput(deep, there))?.dir).toBe('apps/web/site')
  })

  it('gives way to the settings of the project', async () => {
    const built = repository({ ...files, 'svc.json': { build: 'make site', output: 'site' } })
    const plan = await planBuild(built, { ...own, build_cmd: 'make other', output_dir: 'other' })
    expect([plan.build?.line, (await findOutput(built, plan))?.dir]).toEqual(['make other', 'other'])
  })

  it('can name the folder itself, whose packages are published with a server alone', async () => {
    const built = repository({ ...files, 'svc.json': { output: '.' } })
    expect(await findOutput(built, await planBuild(built, own))).toEqual({
      dir: '',
      withNodeModules: false,
      server: undefined,
      nested: '',
    })
  })

  it('says nothing of the build in files that only link the project, or that hold no object', async () => {
    for (const text of ['{"project":"x","build":null}', '[]', '7', '\uFEFF{}']) {
      const plan = await planBuild(repository({ ...files, 'svc.json': text }), own)
      expect([plan.build?.typed, plan.output]).toEqual(['npm run build', undefined])
    }
  })

  it.each([
    ['{"project": "x",}', 'svc.json is not valid JSON. Correct or remove it. Then push again.'],
    ['', 'svc.json is not valid JSON. Correct or remove it. Then push again.'],
    ['{"build": 7}', '"build" in svc.json must be a text that is not empty. Then push again.'],
    ['{"output": " "}', '"output" in svc.json must be a text that is not empty. Then push again.'],
    ['{"output": "/etc"}', '"output" in svc.json must be a folder inside the folder that is built'],
    ['{"output": "a/../../b"}', '"output" in svc.json must be a folder inside the folder that is built'],
  ])('cannot be %j', async (text, message) => {
    await expect(planBuild(repository({ ...files, 'svc.json': text }), own)).rejects.toThrow(message)
  })
})
