import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { CachedPacks } from './cached.ts'
import { DiskPacks } from './disk.ts'
import { PackCache } from './pack-cache.ts'
import type { PackSource } from './port.ts'

let dir: string
let origin: DiskPacks
/** The origin awaits this before it streams. A test uses it to delay copies or to make them fail. */
let gate: () => Promise<void>
let errors: unknown[]

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cached-'))
  origin = new DiskPacks(join(dir, 'origin'))
  gate = async () => undefined
  errors = []
  onTestFinished(() => rm(dir, { recursive: true }))
})

const copies = async () => (await readdir(join(dir, 'cache')).catch(() => [])).sort()

class GatedPacks extends DiskPacks {
  override async open(id: string) {
    return behindGate(await super.open(id))
  }
}

function cached(copyFirst: boolean, maxBytes = 1000): CachedPacks {
  const slow = new GatedPacks(join(dir, 'origin'))
  const onError = (error: unknown) => errors.push(error)
  const packs = new CachedPacks(slow, new PackCache(join(dir, 'cache'), maxBytes), { copyFirst, onError })
  onTestFinished(() => packs.close())
  return packs
}

function behindGate(source: PackSource | undefined): PackSource | undefined {
  if (source === undefined) return undefined
  return {
    size: source.size,
    read: (offset, length) => source.read(offset, length),
    close: () => source.close(),
    stream: (offset, length) => {
      const stream = source.stream(offset, length)
      const read = stream._read.bind(stream)
      stream._read = size =>
        void gate().then(
          () => read(size),
          error => stream.destroy(error),
        )
      return stream
    },
  }
}

async function put(id: string, content: string) {
  const sink = await origin.create(id)
  await sink.write(Buffer.from(content))
  await sink.commit()
}

async function until(done: () => Promise<boolean>) {
  while (!(await done())) await new Promise(resolve => setTimeout(resolve, 5))
}

test('the first reader reads remotely while the copy is made, and from the copy afterwards', async () => {
  await put('dep_a', 'hello')
  let copyNow: () => void = () => undefined
  gate = () => new Promise(resolve => (copyNow = resolve))
  const source = (await cached(false).open('dep_a'))!
  expect((await source.read(0, 5)).toString()).toBe('hello')
  expect(await copies()).not.toContain('dep_a.pack')
  gate = async () => undefined
  copyNow()
  await until(async () => (await copies()).includes('dep_a.pack'))
  await origin.delete('dep_a')
  await until(async () => (await text(source.stream(0, 5)).catch(() => '')) === 'hello')
  await source.close()
})

test('a copied pack is read without a request to the origin', async () => {
  await put('dep_a', 'hello')
  await (await cached(true).open('dep_a'))!.close()
  await origin.delete('dep_a')
  const source = (await cached(false).open('dep_a'))!
  expect((await source.read(0, 5)).toString()).toBe('hello')
  await source.close()
})

test('a copy that fails leaves nothing behind and is reported, and reading stays remote', async () => {
  await put('dep_a', 'hello')
  gate = () => Promise.reject(new Error('away'))
  const source = (await cached(true).open('dep_a'))!
  expect((await source.read(0, 5)).toString()).toBe('hello')
  await source.close()
  expect(errors).toEqual([new Error('away')])
  expect(await copies()).toEqual([])
})

test('the least recently used copies are removed', async () => {
  const packs = cached(true, 1000)
  for (const id of ['dep_a', 'dep_b', 'dep_c']) await put(id, 'x'.repeat(400))
  await (await packs.open('dep_a'))!.close()
  await (await packs.open('dep_b'))!.close()
  await utimes(join(dir, 'cache', 'dep_b.pack'), 1, 1)
  await (await packs.open('dep_c'))!.close()
  expect(await copies()).toEqual(['dep_a.pack', 'dep_c.pack'])
})

test('copies of several processes together keep to the limit', async () => {
  const caches = [cached(true, 1000), cached(true, 1000), cached(true, 1000)]
  for (let i = 0; i < 90; i++) {
    await put(`dep_${i}`, 'x'.repeat(10 + (i % 7) * 20))
    await (await caches[i % 3]!.open(`dep_${i}`))!.close()
    let total = 0
    for (const name of await copies()) total += (await stat(join(dir, 'cache', name))).size
    expect(total).toBeLessThanOrEqual(1000)
    expect(await copies()).toContain(`dep_${i}.pack`)
  }
})

test('a pack that would take more than half of the space is not copied', async () => {
  await put('dep_a', 'x'.repeat(501))
  await (await cached(true, 1000).open('dep_a'))!.close()
  expect(await copies()).toEqual([])
})

test('several threads that copy the same pack make one copy', async () => {
  await put('dep_a', 'hello')
  const sources = await Promise.all(
    [cached(true), cached(true), cached(true)].map(packs => packs.open('dep_a')),
  )
  for (const source of sources) {
    expect((await source!.read(0, 5)).toString()).toBe('hello')
    await source!.close()
  }
  expect(await copies()).toEqual(['dep_a.pack'])
  expect(errors).toEqual([])
})

test('deleting a pack deletes its copy, and a start discards copies that a crash cut short', async () => {
  await put('dep_a', 'hello')
  const packs = cached(true)
  await (await packs.open('dep_a'))!.close()
  await writeFile(join(dir, 'cache', 'dep_b.999999999-abc.tmp'), 'half')
  await packs.discardUnfinished()
  expect(await copies()).toEqual(['dep_a.pack'])
  await packs.delete('dep_a')
  expect(await copies()).toEqual([])
  expect(await packs.open('dep_a')).toBeUndefined()
})

test('closing aborts copies in progress', async () => {
  await put('dep_a', 'hello')
  let started: () => void = () => undefined
  const begun = new Promise<void>(resolve => (started = resolve))
  let go: () => void = () => undefined
  gate = () => {
    started()
    return new Promise(resolve => (go = resolve))
  }
  const packs = cached(false)
  const source = (await packs.open('dep_a'))!
  await begun
  const closed = packs.close()
  go()
  await closed
  await source.close()
  expect(await copies()).toEqual([])
})
