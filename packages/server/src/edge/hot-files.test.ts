import { expect, test } from 'vitest'
import { HotFiles } from './hot-files.ts'
import type { Representation } from './representation.ts'

const KB = 1024
const representation: Representation = {
  status: 200,
  size: 0,
  etag: '""',
  modified: 0,
  common: [],
  content: [],
  html: false,
}
const identity = (key: string) => ({ key, projectId: 'prj_a', deploymentId: 'dep_1', path: '/' })
const read = (files: HotFiles, key: string, size: number) =>
  files.read(identity(key), representation, async () => Buffer.alloc(size))

test('hot files never take more than their budget, whatever is asked for', async () => {
  const files = new HotFiles(1024 * KB)
  for (let i = 0; i < 200; i++) {
    await read(files, `/${i}`, ((i * 37) % 256) * KB)
    expect(files.bytes).toBeLessThanOrEqual(1024 * KB)
  }
  expect(files.bytes).toBeGreaterThan(256 * KB)
})

test('an empty file has its weight, too', async () => {
  const files = new HotFiles(100 * KB)
  for (let i = 0; i < 1000; i++) await read(files, `/${i}`, 0)
  expect(files.bytes).toBeGreaterThan(0)
  expect(files.get('/0')).toBeUndefined()
  expect(files.get('/999')).toBeDefined()
})

test('small files are kept at once, medium ones when asked for again, large ones never', () => {
  const files = new HotFiles(1e9)
  expect([files.admits('small', 256 * KB), files.admits('small', 256 * KB)]).toEqual([true, true])
  expect([files.admits('medium', 1024 * KB), files.admits('medium', 1024 * KB)]).toEqual([false, true])
  expect([files.admits('large', 2049 * KB), files.admits('large', 2049 * KB)]).toEqual([false, false])
})

test('of large files the headers are kept, and how to read them again', async () => {
  const files = new HotFiles(1e9)
  const open = async () => undefined
  const sized = (size: number) => ({ ...representation, size })
  files.remember(identity('medium'), sized(2048 * KB), open)
  files.remember(identity('large'), sized(2049 * KB), open)
  expect(files.getStored('medium')).toBeUndefined()
  expect(files.getStored('large')).toMatchObject({
    cache: 'MISS',
    headers: expect.arrayContaining(['MISS']),
    open,
  })
  expect(files.get('large')).toBeUndefined()
})

test('a file is read once for all who ask while it is read', async () => {
  const files = new HotFiles(1024 * KB)
  let reads = 0
  const once = () =>
    files.read(identity('/'), representation, async () => {
      reads++
      return Buffer.from('body')
    })
  const bodies = await Promise.all([once(), once(), once()])
  expect(bodies.map(String)).toEqual(['body', 'body', 'body'])
  expect(reads).toBe(1)
})

test('a failed read is not remembered', async () => {
  const files = new HotFiles(1024 * KB)
  const failing = files.read(identity('/'), representation, () => Promise.reject(new Error('disk')))
  await expect(failing).rejects.toThrow('disk')
  expect((await read(files, '/', 3)).length).toBe(3)
})
