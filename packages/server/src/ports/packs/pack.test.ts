import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { DiskPacks } from './disk.ts'
import { DamagedPack } from './pack-index.ts'
import { PackReader } from './pack-reader.ts'
import { PackWriter } from './pack-writer.ts'

let dir: string
let packs: DiskPacks

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pack-'))
  packs = new DiskPacks(dir)
  onTestFinished(() => rm(dir, { recursive: true }))
})

async function write(id: string, files: [path: string, content: Buffer][]) {
  const writer = PackWriter.create(await packs.create(id))
  for (const [path, content] of files) await writer.addFile(path, content)
  return writer.finish()
}

const anyPath = fc.oneof(
  fc.stringMatching(/^[a-c]{1,3}(\/[a-c]{1,3}){0,2}$/),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
)
const anyContent = fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes))
const anyFiles = fc.array(fc.tuple(anyPath, anyContent), { maxLength: 40 })

test('any tree round-trips, and lookup agrees with a Map', async () => {
  let n = 0
  await fc.assert(
    fc.asyncProperty(anyFiles, fc.array(anyPath), async (files, otherPaths) => {
      const id = `dep_${n++}`
      const expected = new Map(files)
      const summary = await write(id, files)
      const reader = (await PackReader.open(packs, id))!
      const paths = [...reader.files()].map(file => file.path)
      expect(paths).toEqual(
        [...expected.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      )
      for (const path of [...expected.keys(), ...otherPaths]) {
        const file = reader.find(path)
        const content = file && (await reader.read(file))
        expect(content).toEqual(expected.get(path))
        if (file) expect(file.sha256).toBe(createHash('sha256').update(content!).digest('hex'))
      }
      const totalBytes = [...expected.values()].reduce((sum, content) => sum + content.length, 0)
      expect({ fileCount: reader.fileCount, totalBytes: reader.totalBytes }).toEqual({
        fileCount: expected.size,
        totalBytes,
      })
      expect(summary).toEqual({ fileCount: expected.size, totalBytes })
      await reader.close()
    }),
    { numRuns: 60 },
  )
})

test('files that span blocks, and an index that is longer than the first read, are read completely', async () => {
  const files = Array.from({ length: 3000 }, (_, i): [string, Buffer] => [
    `assets/${'x'.repeat(i % 50)}${i}.js`,
    Buffer.alloc((i * 7919) % 3000, i),
  ])
  files.push(['large.bin', Buffer.alloc(5_000_000, 'large')])
  await write('dep_a', files)
  const reader = (await PackReader.open(packs, 'dep_a'))!
  expect(reader.indexBytes).toBeGreaterThan(64 * 1024)
  for (const [path, content] of files) {
    const file = reader.find(path)!
    expect(file.size).toBe(content.length)
    expect(file.sha256).toBe(createHash('sha256').update(content).digest('hex'))
    expect((await reader.read(file)).equals(content)).toBe(true)
  }
  await reader.close()
})

test('a stream gives the part that is asked for, and no range leaves the file', async () => {
  await write('dep_a', [
    ['a', Buffer.from('aaaa')],
    ['b', Buffer.from('0123456789')],
    ['c', Buffer.from('cccc')],
  ])
  const reader = (await PackReader.open(packs, 'dep_a'))!
  const file = reader.find('b')!
  expect(await text(reader.stream(file))).toBe('0123456789')
  expect(await text(reader.stream(file, 4))).toBe('456789')
  expect(await text(reader.stream(file, 2, 5))).toBe('234')
  expect(await text(reader.stream(file, 10))).toBe('')
  for (const [start, end] of [
    [-1, 5],
    [0, 11],
    [6, 5],
  ]) {
    expect(() => reader.stream(file, start, end)).toThrow(RangeError)
  }
  await reader.close()
})

test('a pack without files can be written and read', async () => {
  await write('dep_a', [])
  const reader = (await PackReader.open(packs, 'dep_a'))!
  expect([...reader.files()]).toEqual([])
  expect(reader.find('x')).toBeUndefined()
  await reader.close()
})

test('opening a pack that does not exist returns undefined', async () => {
  expect(await PackReader.open(packs, 'dep_none')).toBeUndefined()
})

test('an index or footer that was changed anywhere is refused', async () => {
  await write('dep_a', [
    ['index.html', Buffer.from('<h1>hi</h1>')],
    ['b', Buffer.from('b')],
  ])
  const path = join(dir, 'dep_a.pack')
  const sound = await readFile(path)
  for (let at = '<h1>hi</h1>b'.length; at < sound.length; at++) {
    const damaged = Buffer.from(sound)
    damaged[at]! ^= 0x10
    await writeFile(path, damaged)
    await expect(PackReader.open(packs, 'dep_a'), `byte ${at}`).rejects.toThrow(DamagedPack)
  }
})

test('a pack that lost or gained bytes at its end is refused', async () => {
  await write('dep_a', [['index.html', Buffer.from('<h1>hi</h1>')]])
  const path = join(dir, 'dep_a.pack')
  const sound = await readFile(path)
  for (let end = 0; end < sound.length; end++) {
    await writeFile(path, sound.subarray(0, end))
    await expect(PackReader.open(packs, 'dep_a'), `cut at ${end}`).rejects.toThrow(DamagedPack)
  }
  await writeFile(path, Buffer.concat([sound, Buffer.alloc(1)]))
  await expect(PackReader.open(packs, 'dep_a')).rejects.toThrow(DamagedPack)
})

test('the writer rejects when the sink fails, and aborting leaves no trace', async () => {
  const sink = await packs.create('dep_a')
  sink.write = () => Promise.reject(new Error('no space'))
  const writer = PackWriter.create(sink)
  await expect(writer.addFile('a', Buffer.alloc(4_000_000))).rejects.toThrow('no space')
  await expect(writer.finish()).rejects.toThrow('no space')
  await writer.abort()
  expect(await packs.open('dep_a')).toBeUndefined()
})
