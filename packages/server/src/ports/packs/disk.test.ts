import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { packsConformance } from './conformance.ts'
import { DiskPacks } from './disk.ts'
import { DiskSource } from './disk-source.ts'

async function emptyDir() {
  const parent = await mkdtemp(join(tmpdir(), 'packs-'))
  onTestFinished(() => rm(parent, { recursive: true }))
  return join(parent, 'packs')
}

packsConformance(
  async () => {
    const dir = await emptyDir()
    const leftovers = () => readdir(dir).catch(() => [])
    return { packs: new DiskPacks(dir), reopen: () => new DiskPacks(dir), leftovers }
  },
  { openOutlivesDelete: true },
)

test('only the owner can read the files of packs', async () => {
  const dir = await emptyDir()
  const packs = new DiskPacks(dir)
  await (await packs.create('dep_a')).commit()
  expect((await stat(dir)).mode & 0o777).toBe(0o700)
  expect((await stat(join(dir, 'dep_a.pack'))).mode & 0o777).toBe(0o600)
})

test('the unfinished packs of another running process stay', async () => {
  const dir = await emptyDir()
  const packs = new DiskPacks(dir)
  await packs.check()
  const theirs = `dep_a.${process.ppid}-abc.tmp`
  const dead = 'dep_b.999999999-abc.tmp'
  for (const name of [theirs, dead]) await writeFile(join(dir, name), 'half')
  await packs.discardUnfinished()
  expect(await readdir(dir)).toEqual([theirs])
})

test('check says which directory cannot be used and why', async () => {
  const dir = await emptyDir()
  await writeFile(dir, 'a file where the directory should be')
  await expect(new DiskPacks(dir).check()).rejects.toThrow(`Deployments cannot be written to ${dir}: EEXIST`)
})

test('a stream of a file holds one piece, and reads no further one before that is taken', async () => {
  const file = join(await emptyDir(), '..', 'file')
  await writeFile(file, Buffer.alloc(400_000))
  const source = (await DiskSource.open(file))!
  onTestFinished(() => source.close())
  const stream = source.stream(0, 400_000)
  stream.read()
  await eventually(() => stream.readableLength > 0)
  const piece: Buffer = stream.read()
  // A piece that was read ahead would come soon after this one.
  for (let reads = 0; reads < 5; reads++) await source.read(0, 400_000)
  expect([piece.length, stream.readableLength]).toEqual([128 * 1024, 0])
  // The rest comes when it is asked for.
  let rest = 0
  for await (const { length } of stream) rest += length
  expect(piece.length + rest).toBe(400_000)
})
