// The copies of rows on the disk of an edge: what is kept, what a change drops, and what a crash or damage leaves.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RowPlace } from '../../core/base/row-source.ts'
import { Keyring, SealKey } from '../../lib/seal.ts'
import type { Db } from '../../store/store.ts'
import { MemoryChanges } from '../testbed.ts'
import { Copies } from './copies.ts'
import { CopyFiles } from './copy-files.ts'

async function open() {
  const parent = await mkdtemp(path.join(tmpdir(), 'svc-copies-'))
  const dir = path.join(parent, 'edge-copies')
  const keys = [SealKey.fresh()]
  const files = new CopyFiles(dir, new Keyring(() => keys))
  const changes = new MemoryChanges()
  const errors: unknown[] = []
  const copies = new Copies({ files, db: {} as Db, changes, onError: error => errors.push(error) })
  onTestFinished(async () => {
    await copies.close()
    await rm(parent, { recursive: true, force: true })
    expect(errors).toEqual([])
  })
  const read = (place: RowPlace, rows: object[]) => copies.keeping.rows(place, async () => ({ rows }))
  const recall = (place: RowPlace) => copies.kept.rows(place, async () => ({ rows: [{ from: 'database' }] }))
  const kept = async (place: RowPlace, rows: object[]) => {
    await read(place, rows)
    await vi.waitFor(async () => expect(await files.read(place)).toEqual(rows), { timeout: 60_000 })
  }
  return { dir, files, changes, copies, read, recall, kept }
}

const target = (key: string): RowPlace => ({ topic: 'domain', key, part: 'target' })
const branch = (key: string): RowPlace => ({ topic: 'project', key, part: 'branch main' })
const missing = /has not kept/

test('rows are kept as they were read last, and what is not known is an error', async () => {
  const { kept, recall } = await open()
  await kept(target('a.example'), [{ project: 'one' }])
  await kept(target('a.example'), [{ project: 'two' }])
  expect(await recall(target('a.example'))).toEqual([{ project: 'two' }])
  await expect(recall(target('b.example'))).rejects.toThrow(missing)
})

test('a change has dropped all copies of its project when it returns, and they are read anew', async () => {
  const { kept, recall, changes, copies } = await open()
  const again: unknown[] = []
  copies.refresh = async owner => again.push(owner)
  await kept(branch('shop'), [{ id: 'a' }])
  await kept(branch('other'), [{ id: 'b' }])
  changes.tell({ topic: 'project', key: 'shop' })
  await expect(recall(branch('shop'))).rejects.toThrow(missing)
  expect(await recall(branch('other'))).toEqual([{ id: 'b' }])
  await vi.waitFor(() => expect(again).toEqual([{ topic: 'project', key: 'shop' }]), { timeout: 60_000 })
})

test('a read that began before a change is not kept, and made anew', async () => {
  const { copies, changes, recall, kept } = await open()
  const again: unknown[] = []
  copies.refresh = async ({ key }) => again.push(key)
  let answer: (rows: { rows: object[] }) => void = () => undefined
  const reading = copies.keeping.rows<object>(
    branch('shop'),
    () =>
      new Promise(resolve => {
        answer = resolve
      }),
  )
  changes.tell({ topic: 'project', key: 'shop' })
  answer({ rows: [{ id: 'old' }] })
  expect(await reading).toEqual([{ id: 'old' }])
  // Writes go one after the other, so the first one is over.
  await kept(branch('other'), [{ id: 'b' }])
  await expect(recall(branch('shop'))).rejects.toThrow(missing)
  await vi.waitFor(() => expect(again).toEqual(['shop']), { timeout: 60_000 })
})

test('a row that is gone leaves no copy', async () => {
  const { kept, read, recall } = await open()
  await kept(target('a.example'), [{ project: 'one' }])
  await read(target('a.example'), [])
  await kept(target('b.example'), [{ project: 'two' }])
  await expect(recall(target('a.example'))).rejects.toThrow(missing)
})

test('if changes were missed, all copies are dropped at once and read anew', async () => {
  const { kept, recall, changes, copies } = await open()
  const again: unknown[] = []
  copies.refresh = async ({ key }) => again.push(key)
  await kept(branch('shop'), [{ id: 'a' }])
  await kept(target('a.example'), [{ project: 'one' }])
  changes.tell({ topic: 'everything' })
  await expect(recall(branch('shop'))).rejects.toThrow(missing)
  await vi.waitFor(() => expect(again.sort()).toEqual(['a.example', 'shop']), { timeout: 60_000 })
})

test('a copy that is damaged, moved, or sealed with another key counts as none', async () => {
  const { dir, kept, recall } = await open()
  await kept(target('a.example'), [{ project: 'one' }])
  const [folder = ''] = await readdir(dir)
  const [name = ''] = await readdir(path.join(dir, folder))
  await writeFile(path.join(dir, folder, name), 'damaged')
  await expect(recall(target('a.example'))).rejects.toThrow(missing)
  await kept(target('a.example'), [{ project: 'one' }])
  const stranger = new CopyFiles(dir, new Keyring(() => [SealKey.fresh()]))
  expect(await stranger.read(target('a.example'))).toBeUndefined()
})

test('of too many copies, those that were not used for the longest time go', async () => {
  const { files, kept } = await open()
  for (const key of ['one', 'two', 'three']) await kept(target(key), [{ key }])
  await files.touch([{ topic: 'domain', key: 'one' }])
  await files.prune(2)
  const left = await Promise.all(['one', 'two', 'three'].map(key => files.read(target(key))))
  expect(left).toEqual([[{ key: 'one' }], undefined, [{ key: 'three' }]])
})
