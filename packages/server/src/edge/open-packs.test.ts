import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DiskPacks } from '../ports/packs/disk.ts'
import type { PackSource, Packs } from '../ports/packs/port.ts'
import { OpenPacks } from './open-packs.ts'
import { putPack } from './testbed.ts'

let dir: string
/** Ids whose sources are open now. */
let sources: string[]
let opened: number
let packs: Packs
const fail = (error: unknown) => {
  throw error
}

class CountingPacks extends DiskPacks {
  override async open(id: string): Promise<PackSource | undefined> {
    const source = await super.open(id)
    if (source === undefined) return undefined
    opened++
    sources.push(id)
    const close = async () => {
      sources.splice(sources.indexOf(id), 1)
      await source.close()
    }
    return { size: source.size, read: source.read.bind(source), stream: source.stream.bind(source), close }
  }
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-open-packs-'))
  sources = []
  opened = 0
  packs = new CountingPacks(dir)
  for (const id of ['a', 'b', 'c']) await putPack(packs, id, { [id]: `content of ${id}` })
})

afterEach(() => rm(dir, { recursive: true }))

test('a pack is opened once, however many ask for it', async () => {
  const open = new OpenPacks(packs, { indexBytes: 1e6, count: 10 }, fail)
  const leases = await Promise.all(Array.from({ length: 10 }, () => open.acquire('a')))
  expect(opened).toBe(1)
  for (const lease of leases) lease!.release()
  const again = await open.acquire('a')
  expect(opened).toBe(1)
  again!.release()
})

test('a pack that does not exist is asked for each time', async () => {
  const open = new OpenPacks(packs, { indexBytes: 1e6, count: 10 }, fail)
  expect(await open.acquire('d')).toBeUndefined()
  await putPack(packs, 'd', {})
  expect(await open.acquire('d')).toBeDefined()
})

test('the one that was not used for longest is closed when there are too many', async () => {
  const open = new OpenPacks(packs, { indexBytes: 1e6, count: 2 }, fail)
  for (const id of ['a', 'b', 'a', 'c']) (await open.acquire(id))!.release()
  expect(sources.sort()).toEqual(['a', 'c'])
  expect(open.size).toBe(2)
})

test('the memory of indexes is bounded, but for the one that is wanted', async () => {
  const open = new OpenPacks(packs, { indexBytes: 1, count: 10 }, fail)
  for (const id of ['a', 'b', 'c']) (await open.acquire(id))!.release()
  expect(sources).toEqual(['c'])
})

test('a pack in use stays open until it is released, by each once', async () => {
  const open = new OpenPacks(packs, { indexBytes: 1e6, count: 1 }, fail)
  const first = (await open.acquire('a'))!
  const second = (await open.acquire('a'))!
  const other = (await open.acquire('b'))!
  expect((await first.reader.read(first.reader.find('a')!)).toString()).toBe('content of a')
  first.release()
  first.release()
  expect(sources.sort()).toEqual(['a', 'b'])
  second.release()
  expect(sources).toEqual(['b'])
  other.release()
  open.close()
  expect(sources).toEqual([])
})

test('packs that push each other out while they open are still lent open', async () => {
  const open = new OpenPacks(packs, { indexBytes: 1e6, count: 1 }, fail)
  const ids = ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']
  const texts = await Promise.all(
    ids.map(async id => {
      const { reader, release } = (await open.acquire(id))!
      const text = (await reader.read(reader.find(id)!)).toString()
      release()
      return text
    }),
  )
  expect(texts).toEqual(ids.map(id => `content of ${id}`))
  expect(sources.length).toBe(1)
})
