import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const upload = 'POST /projects/blog/deployments'
const deployed = { deployment_id: 'dep_a', url: 'http://blog.localhost:8080', warnings: [] }

interface Project {
  files: Record<string, string>
  links?: Record<string, string>
  /** The folder in which the command runs. */
  folder?: string
  args?: string[]
  lockFile?: boolean
}

/** Returns the paths below `node_modules` of the upload, and the links, with their targets. */
async function packagesOf({ files, links = {}, folder = '', args = ['--build'], lockFile = true }: Project) {
  const api = await standIn({ [upload]: { status: 201, body: deployed } })
  const top = temporaryDirectory({ ...(lockFile && { 'package-lock.json': '{}' }), ...files })
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(top, path)), { recursive: true })
    symlinkSync(target, join(top, path))
  }
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
  const { code, stderr } = await svc(['deploy', ...args], { cwd: join(top, folder), env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^(?:Building: true\n)?$/) })
  const tar = (...args: string[]) =>
    execFileSync('tar', args, { input: api.calls[0]!.body, encoding: 'utf8' })
  const paths = tar('-tzf', '-').trim().split('\n')
  const list = paths.includes('_svc/links.json') ? tar('-xzOf', '-', '_svc/links.json') : '{"links":{}}'
  return {
    files: paths.filter(path => path.startsWith('node_modules/')),
    links: JSON.parse(list).links,
  }
}

const svcJson = JSON.stringify({ project: 'blog', build: 'true' })
const json = (manifest: object) => JSON.stringify(manifest)

/** An installed package: its package.json and one file. */
const installed = (name: string, manifest: object = {}, folder = 'node_modules') => ({
  [`${folder}/${name}/package.json`]: json({ name, ...manifest }),
  [`${folder}/${name}/index.js`]: '',
})

const filesOf = (...names: string[]) =>
  names.flatMap(name => [`node_modules/${name}/index.js`, `node_modules/${name}/package.json`])

describe('svc deploy --build of a server', () => {
  const project = {
    'svc.json': svcJson,
    'package.json': json({
      scripts: { start: 'node dist/main' },
      dependencies: { web: '1' },
      optionalDependencies: { quick: '1' },
      devDependencies: { compiler: '1' },
    }),
    ...installed('web', {
      dependencies: { router: '1' },
      optionalDependencies: { absent: '1' },
      peerDependencies: { peer: '1', types: '1' },
      peerDependenciesMeta: { types: { optional: true } },
    }),
    ...installed('router', { dependencies: { web: '1' } }),
    ...installed('router', {}, 'node_modules/web/node_modules'),
    ...installed('peer'),
    ...installed('types'),
    ...installed('quick'),
    ...installed('compiler'),
    'src/main.ts': "import compiler from 'compiler'",
  }

  it('uploads the packages that are not for development, with all of their dependencies', async () => {
    const { files } = await packagesOf({ files: { ...project, 'dist/main.js': "import web from 'web'" } })
    expect(files).toEqual(filesOf('peer', 'quick', 'web', 'web/node_modules/router').sort())
  })

  it('uploads no packages if the code of the server imports none', async () => {
    const code = 'import fs from "node:fs";import{a}from"./a.js";debug("web");require("path")'
    const { files, links } = await packagesOf({ files: { ...project, 'dist/main.js': code } })
    expect({ files, links }).toEqual({ files: [], links: {} })
  })

  it('uploads a package for development that the code imports', async () => {
    const { files } = await packagesOf({
      files: { ...project, 'dist/lib/a.js': "require('compiler/lib')", 'dist/main.js': '' },
    })
    expect(files).toContain('node_modules/compiler/index.js')
  })

  it('uploads the package whose program the start command calls, with a link to the program', async () => {
    const scripts = { start: 'npm run serve', serve: 'NODE_ENV=production serve-it ./dist/main.js' }
    const manifest = json({
      scripts,
      devDependencies: { '@tools/serve': '1' },
      svc: { start: 'npm run serve' },
    })
    const packages = await packagesOf({
      files: {
        ...project,
        'package.json': manifest,
        'dist/main.js': '',
        ...installed('@tools/serve', { bin: { 'serve-it': './bin.js' } }),
        'node_modules/@tools/serve/bin.js': '',
      },
    })
    expect(packages).toEqual({
      files: [...filesOf('@tools/serve'), 'node_modules/@tools/serve/bin.js'].sort(),
      links: { 'node_modules/.bin/serve-it': '../@tools/serve/bin.js' },
    })
  })

  it('needs no build script', async () => {
    const manifest = json({ scripts: { start: 'node main.js' }, dependencies: { web: '1' } })
    const own = { 'svc.json': json({ project: 'blog' }), 'package.json': manifest }
    const { files } = await packagesOf({ files: { ...project, ...own, 'main.js': "import 'quick'" } })
    expect(files).toEqual(filesOf('peer', 'quick', 'web', 'web/node_modules/router').sort())
  })

  it('uploads all packages with --node-modules', async () => {
    const files = { ...project, 'dist/main.js': '' }
    expect((await packagesOf({ files, args: ['--node-modules'] })).files).toContain(
      'node_modules/compiler/index.js',
    )
  })

  it('leaves out packages that .svcignore names', async () => {
    const files = { ...project, 'dist/main.js': "import 'web'", '.svcignore': 'node_modules/web/\n' }
    expect((await packagesOf({ files })).files).toEqual(filesOf('peer', 'quick'))
  })

  it('uploads what pnpm links to, and the links', async () => {
    const store = 'node_modules/.pnpm'
    const packages = await packagesOf({
      files: {
        'svc.json': svcJson,
        'package.json': json({ scripts: { start: 'node main.js' }, dependencies: { web: '1' } }),
        'main.js': "import 'web'",
        ...installed('web', { dependencies: { router: '1' } }, `${store}/web@1/node_modules`),
        ...installed('router', {}, `${store}/router@2/node_modules`),
        ...installed('compiler', {}, `${store}/compiler@3/node_modules`),
      },
      links: {
        'node_modules/web': '.pnpm/web@1/node_modules/web',
        'node_modules/compiler': '.pnpm/compiler@3/node_modules/compiler',
        [`${store}/web@1/node_modules/router`]: '../../router@2/node_modules/router',
      },
    })
    expect(packages).toEqual({
      files: filesOf('.pnpm/router@2/node_modules/router', '.pnpm/web@1/node_modules/web'),
      links: {
        'node_modules/web': '.pnpm/web@1/node_modules/web',
        [`${store}/web@1/node_modules/router`]: '../../router@2/node_modules/router',
      },
    })
  })

  it('finds packages in the folder of the workspace, and copies packages of the workspace itself', async () => {
    const packages = await packagesOf({
      folder: 'apps/api',
      files: {
        'apps/api/svc.json': svcJson,
        'apps/api/package.json': json({
          scripts: { start: 'node dist/main.js' },
          dependencies: { web: '1', '@acme/shared': '*' },
        }),
        'apps/api/dist/main.js': "import 'web'",
        ...installed('web'),
        ...installed('own', {}, 'packages/shared/node_modules'),
        'packages/shared/package.json': json({ dependencies: { own: '1', web: '1' } }),
        'packages/shared/index.js': '',
      },
      links: { 'node_modules/@acme/shared': '../../packages/shared' },
    })
    expect(packages).toEqual({
      files: filesOf('@acme/shared', '@acme/shared/node_modules/own', 'web').sort(),
      links: {},
    })
  })

  it('finds packages in the folder of a workspace that has no lock file', async () => {
    const { files } = await packagesOf({
      folder: 'apps/api',
      lockFile: false,
      files: {
        'package.json': json({ workspaces: ['apps/*'] }),
        'apps/api/svc.json': svcJson,
        'apps/api/package.json': json({
          scripts: { start: 'node main.js' },
          dependencies: { web: '1' },
        }),
        'apps/api/main.js': "import 'web'",
        ...installed('web'),
      },
    })
    expect(files).toEqual(filesOf('web'))
  })

  it('finds packages of the folders below where a command of the root of a workspace starts one of them', async () => {
    const { files, links } = await packagesOf({
      files: {
        'svc.json': svcJson,
        Procfile: 'web: npm start --workspace web',
        'package.json': json({ workspaces: ['apps/*', 'packages/*'], scripts: { build: 'true' } }),
        'apps/web/package.json': json({ name: 'web', scripts: { start: 'node server.js' } }),
        'apps/web/server.js': "require('express'); require('@acme/shared')",
        ...installed('express'),
        ...installed('unused'),
        'packages/shared/package.json': json({}),
        'packages/shared/index.js': '',
      },
      links: { 'node_modules/@acme/shared': '../../packages/shared' },
    })
    expect({ files, links }).toEqual({ files: filesOf('@acme/shared', 'express').sort(), links: {} })
  })

  it.each([
    ['node ./bin/www', { 'bin/www': "#!/usr/bin/env node\nrequire('../app')", 'app.js': "require('web')" }],
    ['node --env-file=.env server.js', { '.env': 'A=b', 'server.js': "require('web')" }],
    ['node --env-file .env bin/start', { '.env': 'A=b', 'bin/start.js': "require('web')" }],
  ])('reads the code that %s starts', async (start, code) => {
    const { files } = await packagesOf({
      files: {
        'svc.json': svcJson,
        '.svcignore': '.env\n',
        'package.json': json({ scripts: { start }, devDependencies: { web: '1', other: '1' } }),
        ...installed('web'),
        ...installed('other'),
        ...code,
      },
    })
    expect(files).toEqual(filesOf('web'))
  })

  it('does not take types in comments for imports', async () => {
    const code = `/** @param {import('compiler').A} a */
/**
 * @type {import('web').B}
 */
export const b = "*/*"`
    expect((await packagesOf({ files: { ...project, 'dist/main.js': code } })).files).toEqual([])
  })

  it('adds to the output of a framework the packages that it imports', async () => {
    const { files } = await packagesOf({
      files: {
        'svc.json': svcJson,
        'package.json': json({ dependencies: { web: '1', unused: '1' } }),
        'build/index.js': "import './handler.js'",
        'build/handler.js': "import 'web'",
        ...installed('web'),
        ...installed('unused'),
      },
    })
    expect(files).toEqual(filesOf('web'))
  })
})
