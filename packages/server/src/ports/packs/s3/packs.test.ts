import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Mishap, type S3Call, S3Server } from '../../../testing/s3-server.ts'
import { CachedPacks } from '../cached.ts'
import { packsConformance } from '../conformance.ts'
import { PackCache } from '../pack-cache.ts'
import { StorageFailure } from '../port.ts'
import { S3Packs } from './packs.ts'
import { readS3Url } from './url.ts'

const MB = 1024 * 1024

async function setUp() {
  const s3 = await S3Server.start()
  const dir = await mkdtemp(join(tmpdir(), 's3-'))
  onTestFinished(async () => {
    await s3.stop()
    await rm(dir, { recursive: true })
  })
  const open = () => new S3Packs(readS3Url(s3.storageUrl, undefined), join(dir, 'uploads'))
  const notes = () => readdir(join(dir, 'uploads')).catch(() => [])
  const leftovers = async () => [...s3.leftovers(), ...(await notes())]
  return { s3, dir, packs: open(), reopen: open, leftovers }
}

async function put(packs: S3Packs, id: string, content: Buffer) {
  const sink = await packs.create(id)
  try {
    await sink.write(content)
    await sink.commit()
  } catch (error) {
    await sink.abort().catch(() => undefined)
    throw error
  }
}

/** Makes the first call that fits fail in the given way. */
function once(s3: S3Server, fits: (call: S3Call) => boolean, mishap: Mishap) {
  let left = 1
  s3.mishap = call => (left > 0 && fits(call) && left-- ? mishap : undefined)
}

describe('the packs of an S3 store', () => {
  packsConformance(setUp, { openOutlivesDelete: false })
})

describe('the packs of an S3 store with copies on the local disk', () => {
  packsConformance(
    async () => {
      const { packs: origin, reopen, dir, leftovers } = await setUp()
      const cached = (packs: S3Packs) =>
        new CachedPacks(packs, new PackCache(join(dir, 'cache'), 1000 * MB), {
          copyFirst: true,
          onError: error => expect.unreachable(String(error)),
        })
      return { packs: cached(origin), reopen: () => cached(reopen()), leftovers }
    },
    { openOutlivesDelete: true },
  )
})

const big = Buffer.alloc(12 * MB, 'big')

test('a large pack is sent in parts, a small one in one request, and keys have the prefix', async () => {
  const { s3, packs } = await setUp()
  await put(packs, 'dep_big', big)
  await put(packs, 'dep_small', Buffer.from('small'))
  const puts = s3.calls.filter(call => call.method === 'PUT')
  // Parts are sent at the same time, and may arrive in any order.
  const sizes = puts.map(call => call.body.length).sort((one, other) => other - one)
  expect(sizes).toEqual([5 * MB, 5 * MB, 2 * MB, 5])
  expect([...s3.objects.keys()]).toEqual(['deep/er/dep_big.pack', 'deep/er/dep_small.pack'])
  expect(s3.objects.get('deep/er/dep_big.pack')!.bytes.equals(big)).toBe(true)
})

test('the next start discards the parts of a dead writer, but not those of a running one', async () => {
  const { packs, reopen, leftovers } = await setUp()
  const sink = await packs.create('dep_a')
  await sink.write(big)
  expect(await leftovers()).toHaveLength(2)
  await reopen().discardUnfinished()
  expect(await leftovers()).toEqual([])
  await sink.abort()
})

test('an aborted pack of many parts leaves no trace', async () => {
  const { packs, leftovers } = await setUp()
  const sink = await packs.create('dep_a')
  await sink.write(big)
  await sink.abort()
  expect(await leftovers()).toEqual([])
})

test.each<[string, (call: S3Call) => boolean, Mishap]>([
  ['a part that is refused', call => call.query.get('partNumber') === '2', 503],
  ['a part whose connection breaks', call => call.query.get('partNumber') === '1', 'drop'],
  ['a part that is never answered', call => call.query.get('partNumber') === '3', 'hang'],
  ['a beginning that is refused', call => call.query.has('uploads'), 500],
  ['an end that is refused', call => call.method === 'POST' && call.query.has('uploadId'), 500],
  [
    'an end whose answer is lost',
    call => call.method === 'POST' && call.query.has('uploadId'),
    'lose-answer',
  ],
])('%s is made up for', async (_, fits, mishap) => {
  const { s3, packs, leftovers } = await setUp()
  once(s3, fits, mishap)
  await put(packs, 'dep_a', big)
  expect(await leftovers()).toEqual(['deep/er/dep_a.pack'])
  expect(s3.objects.get('deep/er/dep_a.pack')!.bytes.equals(big)).toBe(true)
})

test('a small pack is recognized as our own if the answer to its upload is lost', async () => {
  const { s3, packs } = await setUp()
  once(s3, call => call.method === 'PUT', 'lose-answer')
  await put(packs, 'dep_a', Buffer.from('small'))
  expect([...s3.objects.keys()]).toEqual(['deep/er/dep_a.pack'])
})

test.each([
  ['small', 100],
  ['large', 12 * MB],
])('a store without conditional writes takes a %s pack, and still never twice', async (_, size) => {
  const { s3, packs } = await setUp()
  s3.knowsConditions = false
  const second = await packs.create('dep_a')
  await second.write(Buffer.alloc(size, 2))
  await put(packs, 'dep_a', Buffer.alloc(size, 1))
  await expect(second.commit()).rejects.toThrow('exists already')
  await second.abort()
  expect(s3.objects.get('deep/er/dep_a.pack')!.bytes[0]).toBe(1)
  expect(s3.leftovers()).toHaveLength(1)
})

test('a store that keeps failing is reported as a failure of the storage', async () => {
  const { s3, packs } = await setUp()
  s3.mishap = call => (call.query.get('partNumber') === '2' ? 503 : undefined)
  await expect(put(packs, 'dep_a', big)).rejects.toThrow(StorageFailure)
  expect(s3.leftovers()).toEqual([])
  s3.mishap = () => 'drop'
  await expect(packs.open('dep_a')).rejects.toThrow(StorageFailure)
})

test('a range that breaks off is continued where it stopped', async () => {
  const { s3, packs } = await setUp()
  await put(packs, 'dep_a', Buffer.from('0123456789'.repeat(1000)))
  const source = (await packs.open('dep_a'))!
  once(s3, call => call.method === 'GET', 'cut-body')
  expect(await text(source.stream(0, source.size))).toBe('0123456789'.repeat(1000))
  expect(s3.calls.filter(call => call.method === 'GET').map(call => call.headers.range)).toEqual([
    'bytes=0-9999',
    'bytes=5000-9999',
  ])
})

test('a store that stops answering ends the read with a failure', async () => {
  const { s3, packs } = await setUp()
  await put(packs, 'dep_a', Buffer.from('hello'))
  const source = (await packs.open('dep_a'))!
  s3.mishap = () => 'hang'
  await expect(source.read(0, 5)).rejects.toThrow(StorageFailure)
})

test('bytes of another object under the same key are never mixed in', async () => {
  const { s3, packs } = await setUp()
  await put(packs, 'dep_a', Buffer.from('first'))
  const source = (await packs.open('dep_a'))!
  s3.objects.set('deep/er/dep_a.pack', { bytes: Buffer.from('other'), etag: '"other"', meta: {} })
  await expect(source.read(0, 5)).rejects.toThrow('PreconditionFailed')
})

test('list follows every page and ignores other objects', async () => {
  const { s3, packs } = await setUp()
  s3.pageSize = 2
  for (const id of ['dep_a', 'dep_b', 'dep_c', 'dep_d', 'dep_e']) await put(packs, id, Buffer.from(id))
  for (const key of ['deep/er/notes.txt', 'deep/er/sub/dep_f.pack', 'elsewhere/dep_g.pack'])
    s3.objects.set(key, { bytes: Buffer.alloc(0), etag: '""', meta: {} })
  const found: string[] = []
  for await (const id of packs.list()) found.push(id)
  expect(found).toEqual(['dep_a', 'dep_b', 'dep_c', 'dep_d', 'dep_e'])
})

test.each<[string, (url: string) => string, RegExp]>([
  ['a wrong secret', url => url.replace('odd', 'wrong'), /SignatureDoesNotMatch/],
  ['a wrong access key', url => url.replace('AKID', 'AKIX'), /InvalidAccessKeyId/],
  ['a wrong region', url => url.replace('eu-test-1', 'us-east-1'), /AuthorizationHeaderMalformed/],
  ['a wrong bucket', url => url.replace('packs-test', 'other'), /NoSuchBucket/],
])('check tells of %s', async (_, change, words) => {
  const { s3, dir } = await setUp()
  const packs = new S3Packs(readS3Url(change(s3.storageUrl), undefined), dir)
  await expect(packs.check()).rejects.toThrow(words)
})
