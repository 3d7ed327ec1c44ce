import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

function projectWith(files: Record<string, string | object>, links: Record<string, string> = {}) {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-imported-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
    writeFileSync(path.join(dir, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
    symlinkSync(target, path.join(dir, name))
  }
  return dir
}

/** Runs the script as the builder does. */
function keepImported(dir: string): string {
  const script = readFileSync(new URL('./keep-imported.js', import.meta.url), 'utf8')
  const args = ['--input-type=module', '-e', script, '--', 'dist', 'node_modules']
  return execFileSync(process.execPath, args, { cwd: dir, encoding: 'utf8' })
}

const packagesIn = (dir: string) =>
  readdirSync(path.join(dir, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('package.json'))
    .map(name => path.dirname(name))
    .sort()

const server = `import{a}from"used";import "@scope/side";const c = await import('lazy/part.js')
const r = require("needed"); import './local.js'; import fs from 'node:fs'`

test('keeps the packages that the server imports and their dependencies, and removes all others', () => {
  const dir = projectWith(
    {
      'dist/server/entry.mjs': server,
      'node_modules/used/package.json': { dependencies: { deep: '1' }, peerDependencies: { peer: '1' } },
      'node_modules/used/node_modules/deep/package.json': {},
      'node_modules/deep/package.json': { version: '2.0.0' },
      'node_modules/peer/package.json': {
        peerDependencies: { big: '1' },
        peerDependenciesMeta: { big: { optional: true } },
      },
      'node_modules/@scope/side/package.json': {},
      'node_modules/@scope/other/package.json': {},
      'node_modules/lazy/package.json': {},
      'node_modules/needed/package.json': { optionalDependencies: { 'not-installed': '1' } },
      'node_modules/big/package.json': { bin: 'cli.js' },
      'node_modules/big/cli.js': '',
      'node_modules/.cache/x': '',
    },
    { 'node_modules/.bin/big': '../big/cli.js' },
  )
  expect(keepImported(dir)).toBe('Kept 6 of 9 packages.\n')
  expect(packagesIn(dir)).toEqual(['@scope/side', 'lazy', 'needed', 'peer', 'used', 'used/node_modules/deep'])
  expect(readdirSync(path.join(dir, 'node_modules/.bin'))).toEqual([])
  expect(existsSync(path.join(dir, 'node_modules/.cache'))).toBe(false)
})

test('follows the links of pnpm, and leaves no broken link', () => {
  const store = 'node_modules/.pnpm'
  const dir = projectWith(
    {
      'dist/server/entry.mjs': 'import "used"',
      [`${store}/used@1/node_modules/used/package.json`]: { dependencies: { deep: '1' } },
      [`${store}/deep@1/node_modules/deep/package.json`]: {},
      [`${store}/big@1/node_modules/big/package.json`]: { dependencies: { deep: '1' } },
    },
    {
      'node_modules/used': '.pnpm/used@1/node_modules/used',
      'node_modules/big': '.pnpm/big@1/node_modules/big',
      [`${store}/used@1/node_modules/deep`]: '../../deep@1/node_modules/deep',
      [`${store}/big@1/node_modules/deep`]: '../../deep@1/node_modules/deep',
      [`${store}/node_modules/big`]: '../big@1/node_modules/big',
      [`${store}/node_modules/deep`]: '../deep@1/node_modules/deep',
    },
  )
  keepImported(dir)
  expect(existsSync(path.join(dir, 'node_modules/used/package.json'))).toBe(true)
  expect(existsSync(path.join(dir, store, 'used@1/node_modules/deep/package.json'))).toBe(true)
  expect(existsSync(path.join(dir, store, 'big@1/node_modules/big'))).toBe(false)
  const links = ['node_modules/big', `${store}/node_modules/big`]
  for (const link of links) expect(readdirSync(path.join(dir, path.dirname(link)))).not.toContain('big')
})
