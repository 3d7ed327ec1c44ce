// Runs the bundled script as the builder does, on folders as package managers leave them.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { programFile } from '../../program-files.ts'
import type { NeededRequest } from './main.ts'

const script = fileURLToPath(programFile('../bundle/needed.mjs'))

function projectWith(files: Record<string, string | object>, links: Record<string, string> = {}) {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-needed-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const at = (name: string) => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
    return path.join(dir, name)
  }
  for (const [name, content] of Object.entries(files))
    writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content))
  for (const [name, target] of Object.entries(links)) symlinkSync(target, at(name))
  return dir
}

interface Limits {
  files: number
  bytes?: number
  fileBytes?: number
}

function keepNeeded(
  dir: string,
  { files, bytes = 1e9, fileBytes = 1e9 }: Limits,
  request: Partial<NeededRequest> = {},
): string {
  const full = { published: 'dist', project: '', reads: 'imports', limits: { files, bytes, fileBytes } }
  return execFileSync(process.execPath, [script, JSON.stringify({ ...full, ...request })], {
    cwd: dir,
    encoding: 'utf8',
  })
}

const packagesIn = (dir: string, folder = 'node_modules') =>
  readdirSync(path.join(dir, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('package.json'))
    .map(name => path.dirname(name))
    .sort()

/** A package with files that nothing imports. */
const withMore = (name: string, more: number, manifest: object = {}) => ({
  [`node_modules/${name}/package.json`]: { name, version: '1.0.0', main: 'index.js', ...manifest },
  [`node_modules/${name}/index.js`]: '',
  ...Object.fromEntries(Array.from({ length: more }, (_, i) => [`node_modules/${name}/${i}.txt`, 'x'])),
})

const server = `import{a}from"used";import "@scope/side";const c = await import('lazy')
import { createRequire } from 'node:module'; 
const require = createRequire(import.meta.url); require("needed"); import './local.mjs'; import fs from 'node:fs'`

describe('the packages of a server that does not fit into a deployment', () => {
  it('are all kept if only a cache is too much', () => {
    const dir = projectWith({ 'dist/a.mjs': '', ...withMore('unused', 3), 'node_modules/.cache/x': 'x' })
    expect(keepNeeded(dir, { files: 6 })).toBe('Kept 1 of 1 packages: all that are installed.\n')
    expect(existsSync(path.join(dir, 'node_modules/.cache'))).toBe(false)
  })

  it('are all kept without type declarations and source maps, if that is enough', () => {
    const dir = projectWith({
      'server.js': 'require(process.env.ENGINE)',
      ...withMore('framework', 1),
      'node_modules/framework/index.js.map': '{}',
      'node_modules/framework/index.d.ts': '',
      'node_modules/framework/cities.map': '',
      ...withMore('typescript', 0),
      'node_modules/typescript/lib/lib.d.ts': '',
      // It is too large, and a server in production does not load it.
      ...withMore('@next/swc-linux-x64-gnu', 0),
      'node_modules/@next/swc-linux-x64-gnu/next-swc.node': 'x'.repeat(2000),
    })
    expect(keepNeeded(dir, { files: 10, fileBytes: 1000 }, { published: '' })).toBe(
      [
        'Kept 3 of 3 packages: all that are installed, without type declarations and source maps.',
        'Left out, because the file is too large for a deployment: node_modules/@next/swc-linux-x64-gnu/next-swc.node\n',
      ].join('\n'),
    )
    expect(readdirSync(path.join(dir, 'node_modules/framework')).sort()).toEqual([
      '0.txt',
      'cities.map',
      'index.js',
      'package.json',
    ])
    expect(existsSync(path.join(dir, 'node_modules/typescript/lib/lib.d.ts'))).toBe(true)
  })

  it('keep a file that is too large if the server loads it, so that the deployment fails and names it', () => {
    const dir = projectWith({
      'server.js': 'require("native")',
      ...withMore('native', 0),
      'node_modules/native/index.js': 'module.exports = require("./native.node")',
      'node_modules/native/native.node': 'x'.repeat(2000),
    })
    keepNeeded(dir, { files: 10, fileBytes: 1000 }, { published: '' })
    expect(existsSync(path.join(dir, 'node_modules/native/native.node'))).toBe(true)
  })

  it('are those that the server imports, with their dependencies', () => {
    const dir = projectWith(
      {
        'dist/server/entry.mjs': server,
        'dist/server/local.mjs': '',
        ...withMore('used', 1, { dependencies: { deep: '1' }, peerDependencies: { peer: '1' } }),
        'node_modules/used/node_modules/deep/package.json': {},
        'node_modules/deep/package.json': { version: '2.0.0' },
        'node_modules/peer/package.json': {
          peerDependencies: { big: '1' },
          peerDependenciesMeta: { big: { optional: true } },
        },
        ...withMore('@scope/side', 1),
        ...withMore('@scope/other', 1),
        ...withMore('lazy', 1),
        ...withMore('needed', 1, { optionalDependencies: { 'not-installed': '1' } }),
        ...withMore('big', 10, { bin: 'cli.js' }),
      },
      { 'node_modules/.bin/big': '../big/index.js' },
    )
    expect(keepNeeded(dir, { files: 16 })).toBe(
      'Kept 6 of 9 packages: those that the server imports, with all of their dependencies.\n',
    )
    expect(packagesIn(dir)).toEqual([
      ...['@scope/side', 'lazy', 'needed', 'peer', 'used', 'used/node_modules/deep'],
    ])
    expect(existsSync(path.join(dir, 'node_modules/.bin'))).toBe(false)
  })

  it('are those from which it loads files, if the dependencies of a framework do not fit', () => {
    const dir = projectWith({
      'package.json': { dependencies: { framework: '1' } },
      'dist/server/entry.mjs': 'import "framework/runtime"',
      ...withMore('framework', 2, {
        exports: { './runtime': './runtime.js' },
        dependencies: { bundler: '1', tiny: '1' },
      }),
      'node_modules/framework/runtime.js': 'require("helper")',
      ...withMore('helper', 1),
      ...withMore('bundler', 50),
      ...withMore('tiny', 1),
    })
    expect(keepNeeded(dir, { files: 20 })).toBe(
      'Kept 3 of 4 packages: those from which the server loads files, and others that it may load while they fit.\n',
    )
    expect(packagesIn(dir)).toEqual(['framework', 'helper', 'tiny'])
    expect(existsSync(path.join(dir, 'node_modules/framework/1.txt'))).toBe(true)
  })

  it('lose the files that the server does not load, if whole packages do not fit', () => {
    const dir = projectWith({
      'package.json': { dependencies: { huge: '1', gone: '1' } },
      'dist/server/entry.mjs': 'import "huge"',
      ...withMore('huge', 50),
      'node_modules/huge/index.js':
        'require("./part"); require("fs").readFileSync(require("path").join(__dirname, "data/list.json"))',
      'node_modules/huge/part.js': '',
      'node_modules/huge/data/list.json': '[]',
      ...withMore('gone', 1),
    })
    expect(keepNeeded(dir, { files: 10 })).toBe(
      [
        'Kept 1 of 2 packages: only the files that the server loads.',
        'Left out, because no code of the server imports it: gone\n',
      ].join('\n'),
    )
    const kept = readdirSync(path.join(dir, 'node_modules/huge'), { recursive: true }).sort()
    expect(kept).toEqual(['data', 'data/list.json', 'index.js', 'package.json', 'part.js'])
  })

  it('include dependencies of the project that it may load by a computed name, and compiled parts', () => {
    const dir = projectWith({
      'package.json': { dependencies: { pug: '1', image: '1', builder: '1' } },
      'server.js': 'require("image"); require(process.env.ENGINE)',
      ...withMore('image', 1, { optionalDependencies: { '@image/linux': '1' } }),
      ...withMore('@image/linux', 1),
      ...withMore('pug', 1, { dependencies: { 'pug-parts': '1' } }),
      ...withMore('pug-parts', 1),
      ...withMore('builder', 50),
      ...withMore('stranger', 1),
      'views/index.pug': 'p hello',
    })
    const log = keepNeeded(dir, { files: 30, bytes: 1000 }, { published: '' })
    expect(log).toContain('Kept 2 of 6 packages: those that the server imports')
    const other = projectWith({
      'package.json': { dependencies: { pug: '1', framework: '1' } },
      'server.js': 'require("framework"); require(process.env.ENGINE)',
      ...withMore('framework', 1, {
        dependencies: { builder: '1' },
        optionalDependencies: { compiled: '1' },
      }),
      ...withMore('compiled', 1),
      ...withMore('pug', 1, { dependencies: { 'pug-parts': '1' } }),
      ...withMore('pug-parts', 1),
      ...withMore('builder', 50),
      'views/index.pug': 'p hello',
    })
    keepNeeded(other, { files: 30 }, { published: '' })
    expect(packagesIn(other)).toEqual(['compiled', 'framework', 'pug', 'pug-parts'])
    expect(existsSync(path.join(other, 'views/index.pug'))).toBe(true)
  })

  it('are all kept but for files that are too large, if nothing says which code runs', () => {
    const dir = projectWith({
      'server.ts': '',
      ...withMore('runner', 1),
      ...withMore('compiler', 1),
      'node_modules/compiler/compiler.node': 'x'.repeat(2000),
    })
    expect(keepNeeded(dir, { files: 20, fileBytes: 1000 }, { published: '', reads: 'none' })).toBe(
      [
        'Kept 2 of 2 packages: all that are installed.',
        'Left out, because the file is too large for a deployment: node_modules/compiler/compiler.node\n',
      ].join('\n'),
    )
    expect(packagesIn(dir)).toEqual(['compiler', 'runner'])
  })

  it('keep the links of pnpm, and leave no broken link', () => {
    const store = 'node_modules/.pnpm'
    const pnpm = (name: string, manifest: object, more = 0) =>
      Object.fromEntries(
        Object.entries(withMore(name, more, manifest)).map(([file, content]) => [
          file.replace('node_modules/', `${store}/${name.replace('/', '+')}@1/node_modules/`),
          content,
        ]),
      )
    const dir = projectWith(
      {
        'package.json': { dependencies: { used: '1', big: '1' } },
        'dist/server/entry.mjs': 'import "used"',
        ...pnpm('used', { dependencies: { '@s/deep': '1' } }),
        [`${store}/used@1/node_modules/used/index.js`]: 'require("@s/deep")',
        [`${store}/used@1/node_modules/used/node_modules/.bin/tool`]: '#!/bin/sh',
        ...pnpm('@s/deep', {}),
        ...pnpm('big', { dependencies: { '@s/deep': '1' } }, 50),
        [`${store}/big@1/node_modules/big/node_modules/.bin/tool`]: '#!/bin/sh',
        [`${store}/lock.yaml`]: "lockfileVersion: '9.0'",
      },
      {
        'node_modules/used': '.pnpm/used@1/node_modules/used',
        'node_modules/big': '.pnpm/big@1/node_modules/big',
        [`${store}/used@1/node_modules/@s/deep`]: '../../../@s+deep@1/node_modules/@s/deep',
        [`${store}/big@1/node_modules/@s/deep`]: '../../../@s+deep@1/node_modules/@s/deep',
        [`${store}/node_modules/big`]: '../big@1/node_modules/big',
        [`${store}/node_modules/@s/deep`]: '../../@s+deep@1/node_modules/@s/deep',
      },
    )
    keepNeeded(dir, { files: 20 })
    expect(existsSync(path.join(dir, 'node_modules/used/package.json'))).toBe(true)
    expect(existsSync(path.join(dir, store, 'used@1/node_modules/@s/deep/package.json'))).toBe(true)
    expect(existsSync(path.join(dir, store, 'big@1'))).toBe(false)
    for (const folder of ['node_modules', `${store}/node_modules`])
      expect(readdirSync(path.join(dir, folder))).not.toContain('big')
  })

  it('of a workspace are looked for in all of its folders', () => {
    const dir = projectWith(
      {
        'apps/web/package.json': { dependencies: { '@org/ui': '1', tool: '1' } },
        'apps/web/dist/entry.mjs': 'import "@org/ui"',
        'packages/ui/package.json': { name: '@org/ui', main: 'index.js' },
        'packages/ui/index.js': 'require("deep")',
        ...withMore('deep', 1),
        ...withMore('tool', 50),
      },
      { 'apps/web/node_modules/@org/ui': '../../../../packages/ui' },
    )
    keepNeeded(dir, { files: 20 }, { published: '', project: 'apps/web' })
    expect(packagesIn(dir)).toEqual(['deep'])
    expect(existsSync(path.join(dir, 'apps/web/node_modules/@org/ui/index.js'))).toBe(true)
  })

  it('never include files outside of the repository', () => {
    const outside = projectWith({ 'secret.js': '' })
    const dir = projectWith(
      { 'dist/entry.mjs': `import "${outside}/secret.js"; import "linked"`, ...withMore('big', 10) },
      { 'node_modules/linked': outside },
    )
    keepNeeded(dir, { files: 5 })
    expect(existsSync(path.join(outside, 'secret.js'))).toBe(true)
    expect(packagesIn(dir)).toEqual([])
  })

  it('are found by the names in the code if the code cannot be parsed', () => {
    const dir = projectWith({
      'dist/entry.mjs': 'import "used"; this is no code',
      ...withMore('used', 1),
      ...withMore('big', 50),
    })
    keepNeeded(dir, { files: 10 })
    expect(packagesIn(dir)).toEqual(['used'])
  })
})
