import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findTool } from './tools.mjs'

/** Puts folders of a new directory in front of the PATH until the test ends, and returns the directory. */
function withPath(...folders) {
  const dir = mkdtempSync(join(tmpdir(), 'svc-tools-'))
  const before = process.env.PATH
  process.env.PATH = [...folders.map(folder => join(dir, folder)), before].join(delimiter)
  onTestFinished(() => {
    process.env.PATH = before
    rmSync(dir, { recursive: true })
  })
  return dir
}

function addProgram(file, says) {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 })
}

test('a program of a package is not taken for one of the system, although npm puts it first in the PATH', () => {
  const dir = withPath('node_modules/.bin', 'bin')
  const found = findTool('nftables')
  addProgram(join(dir, 'node_modules/@vercel/nft/cli.js'), 'nftables')
  mkdirSync(join(dir, 'node_modules/.bin'))
  mkdirSync(join(dir, 'bin'))
  for (const folder of ['node_modules/.bin', 'bin'])
    symlinkSync(join(dir, 'node_modules/@vercel/nft/cli.js'), join(dir, folder, 'nft'))
  expect(findTool('nftables')).toBe(found)
})

test('another program of the same name is not taken for the one that is needed', () => {
  const dir = withPath('bin')
  const found = findTool('nftables')
  addProgram(join(dir, 'bin/nft'), '@vercel/nft 1.0')
  expect(findTool('nftables')).toBe(found)
  addProgram(join(dir, 'bin/nft'), 'nftables v1.0.6 (Lester Gooch #5)')
  expect(findTool('nftables')).toBe(join(dir, 'bin/nft'))
})
