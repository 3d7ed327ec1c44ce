// The conformance suite of the Packs port. The test of each adapter runs it.
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Packs } from './port.ts'

interface PacksUnderTest {
  packs: Packs
  /** Opens the same storage again, as after a restart. */
  reopen(): Packs
  /** Everything in the storage, including unfinished objects. */
  leftovers(): Promise<string[]>
}

interface Abilities {
  /** Whether an open pack can still be read after it was deleted. */
  openOutlivesDelete: boolean
}

export function packsConformance(setUp: () => Promise<PacksUnderTest>, abilities: Abilities) {
  test('a committed pack reads back whole, in parts and as a stream', async () => {
    const { packs } = await setUp()
    await put(packs, 'dep_a', ['hello ', 'wide ', 'world'])
    const source = (await packs.open('dep_a'))!
    expect(source.size).toBe(16)
    expect((await source.read(0, 16)).toString()).toBe('hello wide world')
    expect((await source.read(6, 4)).toString()).toBe('wide')
    expect((await source.read(3, 0)).length).toBe(0)
    expect(await text(source.stream(6, 10))).toBe('wide world')
    expect(await text(source.stream(16, 0))).toBe('')
    await source.close()
  })

  test('the storage belongs to the first owner that claims it, and claiming does not change packs', async () => {
    const { packs, reopen } = await setUp()
    const owners = await Promise.all(['one', 'two', 'three'].map(owner => packs.claim(owner)))
    expect(new Set(owners).size).toBe(1)
    expect(await reopen().claim('four')).toBe(owners[0])
    expect(await ids(packs)).toEqual([])
  })

  test('the owner can give up its claim, and nobody else', async () => {
    const { packs } = await setUp()
    await packs.disclaim('one')
    await packs.claim('one')
    await packs.disclaim('two')
    expect(await packs.claim('two')).toBe('one')
    await packs.disclaim('one')
    expect(await packs.claim('two')).toBe('two')
  })

  test('a pack is invisible until it is committed', async () => {
    const { packs } = await setUp()
    const sink = await packs.create('dep_a')
    await sink.write(Buffer.from('half'))
    expect(await packs.open('dep_a')).toBeUndefined()
    expect(await ids(packs)).toEqual([])
    await sink.commit()
    expect(await ids(packs)).toEqual(['dep_a'])
  })

  test('the buffer of a write may be reused as soon as the write resolves', async () => {
    const { packs } = await setUp()
    const sink = await packs.create('dep_a')
    const buffer = Buffer.alloc(100_000)
    for (const byte of [1, 2, 3]) {
      buffer.fill(byte)
      await sink.write(buffer)
    }
    buffer.fill(9)
    await sink.commit()
    const source = (await packs.open('dep_a'))!
    for (const [i, byte] of [1, 2, 3].entries()) {
      const read = await source.read(i * 100_000, 100_000)
      expect(read.equals(Buffer.alloc(100_000, byte))).toBe(true)
    }
    await source.close()
  })

  test('a pack of many megabytes keeps every byte in its place', async () => {
    const { packs } = await setUp()
    const sink = await packs.create('dep_big')
    const block = Buffer.alloc(1024 * 1024)
    for (let i = 0; i < 40; i++) await sink.write(block.fill(i))
    await sink.commit()
    const source = (await packs.open('dep_big'))!
    let at = 0
    for await (const chunk of source.stream(0, source.size)) {
      for (const i of [0, chunk.length - 1]) expect(chunk[i]).toBe(Math.floor((at + i) / block.length))
      at += chunk.length
    }
    expect(at).toBe(40 * block.length)
    await source.close()
  })

  test('an aborted pack leaves no trace', async () => {
    const { packs, leftovers } = await setUp()
    const sink = await packs.create('dep_a')
    await sink.write(Buffer.from('half'))
    await sink.abort()
    await sink.abort()
    expect(await leftovers()).toEqual([])
    await put(packs, 'dep_a', ['again'])
    expect(await ids(packs)).toEqual(['dep_a'])
  })

  test('abort after commit does nothing', async () => {
    const { packs } = await setUp()
    const sink = await packs.create('dep_a')
    await sink.commit()
    await sink.abort()
    const source = (await packs.open('dep_a'))!
    expect(source.size).toBe(0)
    await source.close()
  })

  test('an id is never written twice', async () => {
    const { packs, leftovers } = await setUp()
    const second = await packs.create('dep_a')
    await put(packs, 'dep_a', ['first'])
    await expect(packs.create('dep_a')).rejects.toThrow('exists already')
    await second.write(Buffer.from('second'))
    await expect(second.commit()).rejects.toThrow()
    await second.abort()
    const source = (await packs.open('dep_a'))!
    expect(await text(source.stream(0, source.size))).toBe('first')
    await source.close()
    expect(await leftovers()).toHaveLength(1)
  })

  test('a deleted pack is gone, also when it is deleted again', async () => {
    const { packs, leftovers } = await setUp()
    await put(packs, 'dep_a', ['a'])
    await packs.delete('dep_a')
    await packs.delete('dep_a')
    expect(await packs.open('dep_a')).toBeUndefined()
    expect(await leftovers()).toEqual([])
  })

  if (abilities.openOutlivesDelete)
    test('an open source can still be read after a deletion', async () => {
      const { packs } = await setUp()
      await put(packs, 'dep_a', ['still here'])
      const source = (await packs.open('dep_a'))!
      await packs.delete('dep_a')
      expect(await text(source.stream(0, source.size))).toBe('still here')
      await source.close()
    })

  test('streams and reads in progress finish after close', async () => {
    const { packs } = await setUp()
    await put(packs, 'dep_a', ['x'.repeat(1_000_000)])
    const source = (await packs.open('dep_a'))!
    const stream = source.stream(0, source.size)
    const read = source.read(0, 500_000)
    await source.close()
    expect((await text(stream)).length).toBe(1_000_000)
    expect((await read).length).toBe(500_000)
  })

  test('a stream that is destroyed midway does not affect the others', async () => {
    const { packs } = await setUp()
    await put(packs, 'dep_a', ['x'.repeat(1_000_000)])
    const source = (await packs.open('dep_a'))!
    for await (const _chunk of source.stream(0, source.size)) break
    expect((await text(source.stream(0, source.size))).length).toBe(1_000_000)
    await source.close()
  })

  test('a range beyond the end is refused', async () => {
    const { packs } = await setUp()
    await put(packs, 'dep_a', ['short'])
    const source = (await packs.open('dep_a'))!
    await expect(source.read(0, 6)).rejects.toThrow()
    await expect(text(source.stream(3, 3))).rejects.toThrow()
    await source.close()
  })

  test('list names every committed pack, variants included', async () => {
    const { packs } = await setUp()
    for (const id of ['dep_b', 'dep_a', 'dep_a.z']) await put(packs, id, [id])
    expect(await ids(packs)).toEqual(['dep_a', 'dep_a.z', 'dep_b'])
  })

  test('the next start discards the unfinished packs of a dead writer, and nothing else', async () => {
    const { packs, reopen, leftovers } = await setUp()
    await put(packs, 'dep_a', ['kept'])
    const sink = await packs.create('dep_b')
    await sink.write(Buffer.from('half'))
    const next = reopen()
    await next.discardUnfinished()
    expect(await leftovers()).toHaveLength(1)
    expect(await ids(next)).toEqual(['dep_a'])
    // Closes the file of the dead writer.
    await sink.abort()
  })

  test.each([
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    '/a',
    'a\0',
    '.a',
    'a..b',
    'a.',
    'A',
    'é',
    'a'.repeat(101),
  ])('the id %j is refused', async id => {
    const { packs } = await setUp()
    await expect(packs.create(id)).rejects.toThrow('Not a pack id')
    await expect(packs.open(id)).rejects.toThrow('Not a pack id')
    await expect(packs.delete(id)).rejects.toThrow('Not a pack id')
  })

  test('check passes on usable storage and leaves nothing behind', async () => {
    const { packs, leftovers } = await setUp()
    await packs.check()
    expect(await leftovers()).toEqual([])
  })

  test('fresh storage is empty', async () => {
    const { packs } = await setUp()
    expect(await ids(packs)).toEqual([])
    expect(await packs.open('dep_none')).toBeUndefined()
    await packs.delete('dep_none')
    await packs.discardUnfinished()
  })
}

async function put(packs: Packs, id: string, parts: string[]) {
  const sink = await packs.create(id)
  for (const part of parts) await sink.write(Buffer.from(part))
  await sink.commit()
}

async function ids(packs: Packs): Promise<string[]> {
  const found: string[] = []
  for await (const id of packs.list()) found.push(id)
  return found.sort()
}
