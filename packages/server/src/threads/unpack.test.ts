import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { Fault } from '../lib/fault.ts'
import { DiskPacks } from '../ports/packs/disk.ts'
import { PackReader } from '../ports/packs/pack-reader.ts'
import { makeTar } from '../testing/make-tar.ts'
import { createUnpacker, type Unpacker } from './unpack.ts'

let dir: string
let packs: DiskPacks
let unpacker: Unpacker

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'unpack-thread-'))
  packs = new DiskPacks(dir)
  unpacker = createUnpacker({ kind: 'disk', dir })
  onTestFinished(async () => {
    await unpacker.close()
    await rm(dir, { recursive: true })
  })
})

/** Noise does not compress, so the archive stays large. */
const noise = Buffer.from(
  Array.from({ length: 3_000_000 }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 0xff),
)
const archive = gzipSync(
  makeTar([
    { path: 'index.html', content: 'hi'.repeat(500) },
    { path: 'noise', content: noise },
  ]),
  { level: 1 },
)

function body(bytes: Buffer, chunkBytes = 64 * 1024): Readable {
  const parts = Math.ceil(bytes.length / chunkBytes)
  return Readable.from(
    Array.from({ length: parts }, (_, i) => bytes.subarray(i * chunkBytes, (i + 1) * chunkBytes)),
  )
}

/** Sends the bytes, and then neither ends nor fails. */
function endless(bytes: Buffer): Readable {
  const parts = [bytes]
  return new Readable({
    read() {
      const part = parts.shift()
      if (part) this.push(part)
    },
  })
}

/** Sends a byte now and then, without end. */
function dripping(): Readable {
  let at = 0
  return new Readable({
    read() {
      setTimeout(() => this.push(archive.subarray(at, ++at)), 5).unref()
    },
  })
}

/** Resolves when the thread has begun with the upload. */
async function begun() {
  while ((await readdir(dir)).length === 0) await new Promise(resolve => setTimeout(resolve, 5))
}

test('an upload is unpacked in the thread', async () => {
  expect(await unpacker.unpack('dep_a', body(archive), 'acc_a')).toEqual({
    fileCount: 2,
    sizeBytes: 3_001_000,
    warnings: [],
  })
  const reader = (await PackReader.open(packs, 'dep_a'))!
  expect((await reader.read(reader.find('noise')!)).equals(noise)).toBe(true)
  await reader.close()
})

test('padding after the archive is read', async () => {
  const upload = body(Buffer.concat([archive, Buffer.alloc(5_000_000)]))
  const ended = new Promise(resolve => upload.once('end', resolve))
  expect(await unpacker.unpack('dep_a', upload, 'acc_a')).toEqual({
    fileCount: 2,
    sizeBytes: 3_001_000,
    warnings: [],
  })
  await ended
})

test('many uploads at once are all unpacked', async () => {
  const ids = Array.from({ length: 9 }, (_, i) => `dep_${i}`)
  const results = await Promise.all(ids.map(id => unpacker.unpack(id, body(archive), 'acc_a')))
  expect(results).toEqual(ids.map(() => ({ fileCount: 2, sizeBytes: 3_001_000, warnings: [] })))
})

test('a body of tiny chunks is unpacked', async () => {
  const small = gzipSync(makeTar([{ path: 'index.html', content: noise.subarray(0, 8000) }]))
  expect(await unpacker.unpack('dep_a', body(small, 1), 'acc_a')).toEqual({
    fileCount: 1,
    sizeBytes: 8000,
    warnings: [],
  })
})

test('a body of one large chunk is unpacked', async () => {
  expect(await unpacker.unpack('dep_a', Readable.from([archive]), 'acc_a')).toMatchObject({ fileCount: 2 })
})

test('a refused upload rejects with its fault, and the rest of the body is not read', async () => {
  const hostile = gzipSync(makeTar([{ path: '../x' }]))
  const upload = endless(Buffer.concat([hostile, Buffer.alloc(1_000_000)]))
  const fault = await unpacker.unpack('dep_a', upload, 'acc_a').catch(error => error)
  expect(fault).toBeInstanceOf(Fault)
  expect(fault.code).toBe('invalid_archive')
  expect(fault.message).toContain("The archive entry '../x' has a '..' segment")
  expect(upload.destroyed).toBe(false)
  expect(upload.isPaused()).toBe(true)
  expect(await readdir(dir)).toEqual([])
})

test('an upload that breaks off is refused and leaves no trace', async () => {
  const upload = endless(archive.subarray(0, 1_000_000))
  const result = unpacker.unpack('dep_a', upload, 'acc_a').catch(error => error)
  await begun()
  upload.destroy(new Error('connection reset'))
  const fault = await result
  expect(fault.code).toBe('invalid_archive')
  expect(fault.message).toContain('The upload ended early')
  expect(await readdir(dir)).toEqual([])
})

test('a stalled upload is refused, so that it does not delay the others', async () => {
  const impatient = createUnpacker({ kind: 'disk', dir }, { pace: { checkMs: 20, bytesPerSecond: 1 } })
  onTestFinished(() => impatient.close())
  const stalled = Array.from({ length: 9 }, (_, i) =>
    impatient.unpack(`dep_${i}`, endless(archive.subarray(0, 1_000_000)), 'acc_a').catch(error => error),
  )
  for (const fault of await Promise.all(stalled)) {
    expect(fault.code).toBe('invalid_archive')
    expect(fault.message).toContain('The upload ended early')
  }
  expect(await readdir(dir)).toEqual([])
})

test('an upload that sends single bytes slowly is refused', async () => {
  const impatient = createUnpacker(
    { kind: 'disk', dir },
    { pace: { checkMs: 20, bytesPerSecond: 1_000_000 } },
  )
  onTestFinished(() => impatient.close())
  const upload = dripping()
  const fault = await impatient.unpack('dep_a', upload, 'acc_a').catch(error => error)
  expect(fault.message).toContain('The upload ended early')
})

test('while others wait, the slowest upload of the owner with the most slots is aborted', async () => {
  const slots = { inAll: 3, perOwner: 2, graceMs: 50 }
  const crowded = createUnpacker({ kind: 'disk', dir }, { slots })
  onTestFinished(() => crowded.close())
  const slow = ['acc_slow', 'acc_slow', 'acc_slow', 'acc_other'].map((owner, i) =>
    crowded.unpack(`dep_${i}`, dripping(), owner).catch(error => error),
  )
  expect(await crowded.unpack('dep_quick', body(archive), 'acc_quick')).toMatchObject({ fileCount: 2 })
  const fault = await Promise.race(slow)
  expect(fault).toMatchObject({ code: 'unavailable', retryAfter: 60 })
  expect(fault.message).toContain('too slow while other uploads waited')
})

test('slow uploads of an owner are aborted while faster ones of the same owner wait', async () => {
  const slots = { inAll: 10, perOwner: 2, graceMs: 50 }
  const crowded = createUnpacker({ kind: 'disk', dir }, { slots })
  onTestFinished(() => crowded.close())
  const slow = Array.from({ length: 4 }, (_, i) =>
    crowded.unpack(`dep_${i}`, dripping(), 'acc_a').catch(error => error),
  )
  expect(await crowded.unpack('dep_quick', body(archive), 'acc_a')).toMatchObject({ fileCount: 2 })
  expect((await Promise.race(slow)).code).toBe('unavailable')
})

test('uploads of one owner beyond its slots wait, and those of others do not', async () => {
  const slots = { inAll: 3, perOwner: 2, graceMs: 60_000 }
  const crowded = createUnpacker({ kind: 'disk', dir }, { slots })
  onTestFinished(() => crowded.close())
  for (let i = 0; i < 5; i++) crowded.unpack(`dep_${i}`, dripping(), 'acc_slow').catch(() => undefined)
  expect(await crowded.unpack('dep_quick', body(archive), 'acc_quick')).toMatchObject({ fileCount: 2 })
})

test.each([
  ['failed', () => endless(archive).destroy(new Error('connection reset'))],
  ['closed', () => endless(archive).destroy()],
])('a body that %s before it was handed over is refused', async (_, make) => {
  const upload = make().on('error', () => undefined)
  await new Promise(resolve => upload.once('close', resolve))
  await expect(unpacker.unpack('dep_a', upload, 'acc_a')).rejects.toThrow('The upload ended early')
})

test('an upload is refused if its client disconnects in the middle', async () => {
  const outcome = new Promise<unknown>(resolve => {
    const server = createServer(incoming =>
      resolve(unpacker.unpack('dep_a', incoming, 'acc_a').catch(error => error)),
    )
    onTestFinished(() => void server.close())
    server.listen(0, '127.0.0.1', async () => {
      const upload = request({ port: (server.address() as AddressInfo).port, method: 'POST' })
      upload.on('error', () => undefined)
      upload.write(archive.subarray(0, 500_000))
      await begun()
      upload.destroy()
    })
  })
  expect(await outcome).toMatchObject({ code: 'invalid_archive' })
  expect(await readdir(dir)).toEqual([])
})

test('an upload is rejected if the thread dies in the middle, and the next start removes its files', async () => {
  const upload = endless(archive.subarray(0, 1_000_000))
  const result = unpacker.unpack('dep_a', upload, 'acc_a')
  const rejected = expect(result).rejects.toThrow('thread was closed')
  await begun()
  await unpacker.close()
  await rejected
  await new DiskPacks(dir).discardUnfinished()
  expect(await readdir(dir)).toEqual([])
})
