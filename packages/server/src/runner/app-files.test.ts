import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { encodeLinks, linksPath } from '@svc/contract/site'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { unpack } from '../core/deployments/archive/unpack.ts'
import { DiskPacks } from '../ports/packs/disk.ts'
import { archiveOf } from '../testing/archives.ts'
import { AppFiles } from './app-files.ts'

let dir: string
let packs: DiskPacks
let files: AppFiles

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'svc-app-files-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  packs = new DiskPacks(path.join(dir, 'packs'))
  await mkdir(path.join(dir, 'packs'))
  files = new AppFiles(path.join(dir, 'apps'), packs)
  await files.open()
})

async function deployed(id: string, contents: Record<string, string | Buffer>): Promise<void> {
  await unpack(Readable.from([archiveOf(contents)]), packs, id)
}

test('a deployment is extracted once and completely, with the directories that its app writes to', async () => {
  const large = Buffer.alloc(3_000_000, 'large')
  await deployed('dep_a', { 'server/index.mjs': 'hello', 'public/large.bin': large })
  const [one, same] = await Promise.all([files.prepare('dep_a', ['.next/cache']), files.prepare('dep_a', [])])
  expect(one).toBe(same)
  expect(await readFile(path.join(one, 'server/index.mjs'), 'utf8')).toBe('hello')
  expect((await readFile(path.join(one, 'public/large.bin'))).equals(large)).toBe(true)
  expect((await stat(path.join(one, '.next/cache'))).isDirectory()).toBe(true)
  expect((await stat(path.join(one, 'server/index.mjs'))).mode & 0o777).toBe(0o755)
  expect(await files.list()).toEqual(['dep_a'])
})

test('files that another version of svcd extracted are removed, because it may have made other directories', async () => {
  await deployed('dep_a', { x: '1' })
  await files.prepare('dep_a', [])
  const note = path.join(dir, 'apps/boot-id')
  await writeFile(note, (await readFile(note, 'utf8')).replace(/ .*/, ''))
  const next = new AppFiles(path.join(dir, 'apps'), packs)
  await next.open()
  expect(await next.list()).toEqual([])
})

test('links are created, except where the app has a directory to write to', async () => {
  const links = new Map([
    ['node_modules/a', '.store/a'],
    ['.bin/a', '../node_modules/a/cli.js'],
    ['.next/cache', '../node_modules'],
  ])
  await deployed('dep_a', { 'node_modules/.store/a/cli.js': 'hello', [linksPath]: encodeLinks(links) })
  const at = await files.prepare('dep_a', ['.next/cache'])
  expect(await readlink(path.join(at, 'node_modules/a'))).toBe('.store/a')
  expect(await readFile(path.join(at, '.bin/a'), 'utf8')).toBe('hello')
  expect(await readdir(path.join(at, '.next/cache'))).toEqual([])
  expect((await readdir(at)).sort()).toEqual(['.bin', '.next', 'node_modules'])
})

test('files that a killed program extracted only in part are removed, and complete ones are kept', async () => {
  await deployed('dep_a', { x: '1' })
  await files.prepare('dep_a', [])
  await mkdir(path.join(dir, 'apps/dep_b.half'))
  const next = new AppFiles(path.join(dir, 'apps'), packs)
  await next.open()
  expect((await readdir(path.join(dir, 'apps'))).sort()).toEqual(['boot-id', 'dep_a'])
})

test('files from before the last boot are removed, since they were never synced', async () => {
  await deployed('dep_a', { x: '1' })
  await files.prepare('dep_a', [])
  await writeFile(path.join(dir, 'apps/boot-id'), 'another boot')
  const next = new AppFiles(path.join(dir, 'apps'), packs)
  await next.open()
  expect(await next.list()).toEqual([])
  expect(await readFile(path.join(await next.prepare('dep_a', []), 'x'), 'utf8')).toBe('1')
})

test('files that are needed are not removed', async () => {
  await deployed('dep_a', { x: '1' })
  await files.prepare('dep_a', [])
  await files.remove('dep_a', () => true)
  expect(await files.list()).toEqual(['dep_a'])
  await files.remove('dep_a', () => false)
  expect(await files.list()).toEqual([])
})

test('a deployment without files, or with paths that conflict, is refused and leaves nothing behind', async () => {
  await expect(files.prepare('dep_gone', [])).rejects.toThrow('are gone')
  await deployed('dep_a', { x: '1' })
  await expect(files.prepare('dep_a', ['x'])).rejects.toThrow()
  expect(await files.list()).toEqual([])
  expect(await readdir(path.join(dir, 'apps'))).toEqual(['boot-id'])
})
