import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { limits } from '@svc/contract/limits'
import { encodeLinks, linksPath } from '@svc/contract/site'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { DiskPacks } from '../../../ports/packs/disk.ts'
import { makeTar, type TarEntry } from '../../../testing/make-tar.ts'
import { unpack } from './unpack.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'links-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
})

const unpacked = (...entries: TarEntry[]) =>
  unpack(Readable.from([gzipSync(makeTar(entries))]), new DiskPacks(dir), 'dep_a')
const list = (links: Record<string, string>): TarEntry => ({
  path: linksPath,
  content: encodeLinks(new Map(Object.entries(links))),
})

test('a list of links is not counted among the files', async () => {
  expect(await unpacked({ path: 'x', content: '123' }, list({ y: 'x' }))).toMatchObject({
    fileCount: 1,
    sizeBytes: 3,
  })
})

test('10,000 files may have a list of links beside them', async () => {
  const files = Array.from({ length: limits.files }, (_, i) => ({ path: String(i) }))
  expect(await unpacked(...files, list({ y: '0' }))).toMatchObject({ fileCount: limits.files })
})

test.each([
  ['nothing but a list of links', [list({})], 'holds no files'],
  ['a list that is none', [{ path: 'x' }, { path: linksPath, content: '[]' }], 'is not a list'],
  [
    'a list without end',
    [{ path: 'x' }, { path: linksPath, content: ' '.repeat(limits.linksBytes + 1) }],
    '4 MB',
  ],
  [
    'a link to elsewhere',
    [{ path: 'x' }, list({ y: '../x' })],
    "The link 'y' in _svc/links.json leads outside",
  ],
  ['a link in the place of a file', [{ path: 'x' }, list({ x: 'x' })], 'stands where the upload has a file'],
  [
    'a link above a file',
    [{ path: 'a/x' }, { path: 'b' }, list({ a: 'b' })],
    'stands where the upload has a file',
  ],
] as [string, TarEntry[], string][])('%s is refused and leaves nothing', async (_, entries, words) => {
  await expect(unpacked(...entries)).rejects.toMatchObject({
    code: 'invalid_archive',
    message: expect.stringContaining(words),
  })
  expect(await readdir(dir)).toEqual([])
})

test('links that stand in the archive itself are skipped as before', async () => {
  expect(await unpacked({ path: 'x' }, { path: 'y', type: '2' })).toMatchObject({ fileCount: 1 })
})
