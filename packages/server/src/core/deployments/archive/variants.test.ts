import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { DiskPacks } from '../../../ports/packs/disk.ts'
import { PackReader } from '../../../ports/packs/pack-reader.ts'
import { PackWriter } from '../../../ports/packs/pack-writer.ts'
import { effortFor } from './compressible.ts'
import { makeVariants } from './variants.ts'

let dir: string
let packs: DiskPacks

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'variants-'))
  packs = new DiskPacks(dir)
  onTestFinished(() => rm(dir, { recursive: true }))
})

async function deploy(id: string, files: Record<string, string | Buffer>) {
  const writer = PackWriter.create(await packs.create(id))
  for (const [path, content] of Object.entries(files)) await writer.addFile(path, Buffer.from(content))
  await writer.finish()
}

async function variants(id: string): Promise<Map<string, Buffer>> {
  const reader = (await PackReader.open(packs, `${id}.z`))!
  const found = new Map<string, Buffer>()
  for (const file of reader.files()) found.set(file.path, await reader.read(file))
  await reader.close()
  return found
}

const page = '<p>The same words again and again.</p>\n'.repeat(100)
const noise = Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * i * 7919 + (i >> 3) * 104729) % 251))

test('text gets a Brotli and a gzip variant that unfold to the file', async () => {
  await deploy('dep_a', { 'index.html': page, 'a/App.JS': page })
  await makeVariants(packs, 'dep_a')
  const found = await variants('dep_a')
  expect([...found.keys()]).toEqual(['br/a/App.JS', 'br/index.html', 'gz/a/App.JS', 'gz/index.html'])
  expect(brotliDecompressSync(found.get('br/index.html')!).toString()).toBe(page)
  expect(gunzipSync(found.get('gz/a/App.JS')!).toString()).toBe(page)
})

test('files that are small, compressed already or do not shrink have none', async () => {
  await deploy('dep_a', {
    'small.html': '<p>hi</p>',
    'photo.jpg': page,
    'no-extension': page,
    'noise.txt': noise,
  })
  await makeVariants(packs, 'dep_a')
  expect([...(await variants('dep_a')).keys()]).toEqual([])
})

test('files that no visitor can get have none', async () => {
  await deploy('dep_a', { 'node_modules/x/index.js': page, 'server.js': page, 'public/app.js': page })
  await makeVariants(packs, 'dep_a', { folders: ['public/', '.next/static/'] })
  expect([...(await variants('dep_a')).keys()]).toEqual(['br/public/app.js', 'gz/public/app.js'])
})

test('an empty deployment of variants is written, so that it is known to be done', async () => {
  await deploy('dep_a', { 'photo.jpg': noise })
  await makeVariants(packs, 'dep_a')
  expect((await readdir(dir)).sort()).toEqual(['dep_a.pack', 'dep_a.z.pack'])
})

test('made variants are not made again', async () => {
  await deploy('dep_a', { 'index.html': page })
  await makeVariants(packs, 'dep_a')
  const before = await variants('dep_a')
  await makeVariants(packs, 'dep_a')
  expect(await variants('dep_a')).toEqual(before)
})

test('a deployment that is gone needs no variants', async () => {
  await makeVariants(packs, 'dep_gone')
  expect(await readdir(dir)).toEqual([])
})

test('an aborted run leaves no trace and can be repeated', async () => {
  await deploy('dep_a', { 'index.html': page })
  await expect(makeVariants(packs, 'dep_a', { signal: AbortSignal.abort() })).rejects.toThrow('abort')
  expect(await readdir(dir)).toEqual(['dep_a.pack'])
  await makeVariants(packs, 'dep_a')
  expect((await variants('dep_a')).size).toBe(2)
})

test('the more there is to compress, the less effort each byte gets', () => {
  const MB = 1024 * 1024
  expect([1 * MB, 10 * MB, 250 * MB].map(bytes => effortFor(bytes).brotli)).toEqual([11, 10, 6])
})
