import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { askedNodeAt } from './node-inside.ts'
import { askedInstall, findNodeInstalls } from './node-installs.ts'

function newDir(): string {
  const dir = mkdtempSync(path.join(realpathSync(tmpdir()), 'svc-installs-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

function write(file: string, text: string, mode = 0o755): string {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

const saying = (version: string) => `#!/bin/sh\necho ${version}\n`

test('each folder holds a Node, as an archive or as a package of npm, and the first of a version counts', async () => {
  const dir = newDir()
  const archive = write(path.join(dir, '22', 'bin/node'), saying('v22.12.0'))
  write(path.join(dir, '22-again', 'bin/node'), saying('v22.12.0'))
  const packaged = write(path.join(dir, '24', 'node_modules/node/bin/node'), saying('v24.1.0'))
  write(path.join(dir, '24', 'node_modules/npm/bin/npm-cli.js'), '')
  const { installs, warnings } = await findNodeInstalls(dir)
  expect(warnings).toEqual([])
  expect(installs.map(({ version, program }) => [version, program])).toEqual([
    [process.versions.node, process.execPath],
    ['22.12.0', archive],
    ['24.1.0', packaged],
  ])
  expect(askedInstall(installs, process.versions.node)).toBeUndefined()
  expect(askedInstall(installs, '22.12.0')?.modules).toBeUndefined()
  expect(() => askedInstall(installs, '18.0.0')).toThrow('Node 18.0.0 is not among those')
  // A Node with an npm of its own runs that one.
  const shown = askedNodeAt(askedInstall(installs, '24.1.0')!).join(' ')
  expect(shown).toContain(`--ro-bind ${packaged} /opt/node/bin/node`)
  expect(shown).toContain('--symlink ../lib/node_modules/npm/bin/npm-cli.js /opt/node/bin/npm')
})

test('what cannot be used is named', async () => {
  const dir = newDir()
  const broken = write(path.join(dir, 'broken', 'bin/node'), 'not a program')
  const nightly = write(path.join(dir, 'nightly', 'bin/node'), saying('v25.0.0-nightly2025'))
  const closed = write(path.join(dir, 'closed', 'bin/node'), saying('v22.1.0'), 0o700)
  const { installs, warnings } = await findNodeInstalls(dir)
  expect(installs).toHaveLength(1)
  expect(warnings).toEqual([
    expect.stringContaining(`${broken} is not used`),
    expect.stringContaining(`${closed} is not used: not all users may run it`),
    expect.stringContaining(`${nightly} is not used`),
  ])
  const missing = await findNodeInstalls(path.join(dir, 'missing'))
  expect(missing.warnings).toEqual([expect.stringContaining('the folder of SVCD_NODE_DIR cannot be read')])
})
