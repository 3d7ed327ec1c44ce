import { link, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CacheName, CacheStore } from './store.ts'

describe('the store of archives', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'svc-cache-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  /** The owner of a project is what its id ends with. */
  const store = (bytes: number) =>
    new CacheStore(
      path.join(dir, 'cache'),
      bytes,
      async ids => new Map(ids.map(id => [id, id.slice(-1)] as const)),
    )
  const production = { projectId: 'prj_a', branch: undefined }
  const packages = (key: string): CacheName => ({ kind: 'packages', key })

  async function fileOf(content: string): Promise<string> {
    const file = path.join(dir, `new-${Math.random()}`)
    await writeFile(file, content)
    return file
  }

  it('returns an archive as it was added', async () => {
    const cache = store(1000)
    await cache.add(production, packages('a'), await fileOf('hello'))
    const entry = await cache.find(production, packages('a'))
    expect(entry).toMatchObject({ bytes: 5 })
    await cache.copyOut(entry!, path.join(dir, 'copy'))
    expect(await readFile(path.join(dir, 'copy'), 'utf8')).toBe('hello')
    expect(await cache.find(production, packages('b'))).toBeUndefined()
    expect(await cache.find(production, { kind: 'downloads', key: 'a' })).toBeUndefined()
  })

  it('keeps one archive for each name', async () => {
    const cache = store(1000)
    await cache.add(production, packages('a'), await fileOf('old'))
    await cache.add(production, packages('a'), await fileOf('newer'))
    expect(await cache.find(production, packages('a'))).toMatchObject({ bytes: 5 })
    expect(await readdir(path.join(dir, 'cache/prj_a/production'))).toHaveLength(1)
  })

  it('removes the least recently used archives, first those of a project that exceeds its share', async () => {
    const cache = store(400)
    const other = { projectId: 'prj_b', branch: undefined }
    await cache.add(other, packages('b'), await fileOf('b'.repeat(60)))
    const ages: [string, number][] = [
      ['one', 30],
      ['two', 20],
    ]
    for (const [key, secondsAgo] of ages) {
      await cache.add(production, packages(key), await fileOf(key.repeat(10)))
      const { file } = (await cache.find(production, packages(key)))!
      const at = Date.now() / 1000 - secondsAgo
      await utimes(file, at, at)
    }
    await cache.copyOut((await cache.find(production, packages('one')))!, path.join(dir, 'copy'))
    await cache.add(production, packages('three'), await fileOf('3'.repeat(60)))
    expect(await cache.find(production, packages('two'))).toBeUndefined()
    expect(await cache.find(production, packages('one'))).toBeDefined()
    expect(await cache.find(production, packages('three'))).toBeDefined()
    expect(await cache.find(other, packages('b'))).toBeDefined()
  })

  it('takes room for an owner with many projects from them, and not from others', async () => {
    const cache = store(400)
    const quiet = { projectId: 'prj_b', branch: undefined }
    await cache.add(quiet, packages('b'), await fileOf('b'.repeat(90)))
    const { file } = (await cache.find(quiet, packages('b')))!
    const longAgo = Date.now() / 1000 - 1000
    await utimes(file, longAgo, longAgo)
    const greedy = Array.from({ length: 6 }, (_, i) => ({ projectId: `prj_${i}a`, branch: undefined }))
    for (const scope of greedy) await cache.add(scope, packages('a'), await fileOf('a'.repeat(100)))
    expect(await cache.find(quiet, packages('b'))).toBeDefined()
    const found = await Promise.all(greedy.map(scope => cache.find(scope, packages('a'))))
    expect(found.filter(Boolean)).toHaveLength(3)
    expect(found.at(-1)).toBeDefined()
  })

  it('does not keep an archive that is larger than the share of a project', async () => {
    const cache = store(400)
    await cache.add(production, packages('big'), await fileOf('x'.repeat(101)))
    expect(await cache.find(production, packages('big'))).toBeUndefined()
  })

  it('refuses a symbolic link and a file with a second hard link', async () => {
    const cache = store(1000)
    const file = await fileOf('x')
    await symlink(file, path.join(dir, 'link'))
    await expect(cache.add(production, packages('a'), path.join(dir, 'link'))).rejects.toThrow()
    await link(file, path.join(dir, 'second'))
    await expect(cache.add(production, packages('a'), file)).rejects.toThrow()
  })

  it('removes the archives of deleted projects', async () => {
    const cache = store(1000)
    await cache.add(production, packages('a'), await fileOf('x'))
    await cache.add({ projectId: 'prj_b', branch: 'x' }, packages('a'), await fileOf('x'))
    await cache.forgetProjects(async () => new Set(['prj_b']))
    expect(await readdir(path.join(dir, 'cache'))).toEqual(['prj_b'])
  })
})
