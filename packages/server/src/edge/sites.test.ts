import { EventEmitter, once } from 'node:events'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SiteTarget } from '../core/base/labels.ts'
import type { Site, SiteDeployment } from '../core/projects/sites.ts'
import { type Found, Sites } from './sites.ts'
import { MemoryChanges, MemorySites } from './testbed.ts'

const deployment = (id: string): SiteDeployment => ({ id, kind: 'static', createdAt: 0, framework: null })
const site = (id: string): Site => ({
  projectId: 'prj_shop',
  name: 'shop',
  active: deployment(id),
  expiresAt: undefined,
  guard: undefined,
  previewGuard: undefined,
})
const to = (target: SiteTarget) => ({ to: 'site', target }) as const
const production = to({ project: 'shop', which: 'production' })
const branch = to({ project: 'shop', which: 'branch', slug: 'main' })
const idOf = (found: Found | undefined) =>
  found?.state === 'live' ? found.route.deployment.id : found?.state
const tellShop = () => changes.tell({ topic: 'project', key: 'shop' })

let rows: MemorySites
let changes: MemoryChanges
let time: { now: number }
let sites: Sites

beforeEach(() => {
  rows = new MemorySites()
  changes = new MemoryChanges()
  time = { now: 1_000_000 }
  sites = new Sites(rows, changes, { now: () => time.now }, { atMost: 4 })
  rows.sites.set('shop', site('one'))
})

/** Reads from now on look at the rows at once, and answer only when told to. */
function holdReads(): () => void {
  const held = new EventEmitter()
  const released = once(held, 'release')
  rows.gate = async () => void (await released)
  return () => {
    rows.gate = async () => undefined
    held.emit('release')
  }
}

describe('a site', () => {
  test('is read once, and again only after a change', async () => {
    expect(sites.peek(production)).toBeUndefined()
    expect(idOf(await sites.find(production))).toBe('one')
    expect(idOf(sites.peek(production))).toBe('one')
    rows.sites.set('shop', site('two'))
    expect(idOf(await sites.find(production))).toBe('one')
    expect(rows.reads).toBe(1)

    tellShop()
    expect(sites.peek(production)).toBeUndefined()
    expect(idOf(await sites.find(production))).toBe('two')
    expect(rows.reads).toBe(2)
  })

  test('is left alone by the changes of others', async () => {
    await sites.find(production)
    changes.tell({ topic: 'project', key: 'other' })
    expect(idOf(sites.peek(production))).toBe('one')
  })

  test('is read anew after a gap in the changes', async () => {
    await sites.find(production)
    changes.tell({ topic: 'everything' })
    expect(sites.peek(production)).toBeUndefined()
  })

  test('that does not exist is remembered, until it does', async () => {
    const other = to({ project: 'other', which: 'production' })
    expect(idOf(await sites.find(other))).toBe('unknown')
    expect(idOf(sites.peek(other))).toBe('unknown')
    rows.sites.set('other', site('new'))
    changes.tell({ topic: 'project', key: 'other' })
    expect(idOf(await sites.find(other))).toBe('new')
  })

  test('is read once for all who ask at the same time', async () => {
    const found = await Promise.all(Array.from({ length: 10 }, () => sites.find(production)))
    expect(found.map(idOf)).toEqual(Array(10).fill('one'))
    expect(rows.reads).toBe(1)
  })

  test.each([{ topic: 'project', key: 'shop' } as const, { topic: 'everything' } as const])(
    'read before a change (%j) is not kept after it, nor shared with who asks after it',
    async change => {
      const letGo = holdReads()
      const before = sites.find(production)
      rows.sites.set('shop', site('two'))
      changes.tell(change)
      const after = sites.find(production)
      letGo()
      expect(idOf(await before)).toBe('one')
      expect(idOf(await after)).toBe('two')
      expect(idOf(sites.peek(production))).toBe('two')
    },
  )

  test('keeps the later of two reads, whichever ends first', async () => {
    const letFirstGo = holdReads()
    const first = sites.find(production)
    rows.sites.set('shop', site('two'))
    tellShop()
    rows.gate = async () => undefined
    expect(idOf(await sites.find(production))).toBe('two')
    letFirstGo()
    await first
    expect(idOf(sites.peek(production))).toBe('two')
  })
})

test('there are never more sites in memory than the bound, and the newest is', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `site-${i}`)
  for (const name of names) {
    rows.sites.set(name, site(name))
    const found = to({ project: name, which: 'production' })
    await sites.find(found)
    expect(idOf(sites.peek(found))).toBe(name)
    expect([...sites.known.projects].length).toBeLessThanOrEqual(4)
  }
})

describe('a preview', () => {
  test('is remembered with its site, and forgotten with it', async () => {
    rows.branches.set('prj_shop main', deployment('branch one'))
    expect(idOf(await sites.find(branch))).toBe('branch one')
    expect(idOf(sites.peek(branch))).toBe('branch one')
    rows.branches.set('prj_shop main', deployment('branch two'))
    tellShop()
    expect(sites.peek(branch)).toBeUndefined()
    expect(idOf(await sites.find(branch))).toBe('branch two')
  })

  test('read before a change is not kept after it', async () => {
    await sites.find(production)
    rows.branches.set('prj_shop main', deployment('branch one'))
    const letGo = holdReads()
    const before = sites.find(branch)
    await Promise.resolve()
    rows.branches.set('prj_shop main', deployment('branch two'))
    tellShop()
    letGo()
    expect(idOf(await before)).toBe('branch one')
    expect(idOf(await sites.find(branch))).toBe('branch two')
    expect(idOf(sites.peek(branch))).toBe('branch two')
  })

  test('that does not exist costs one read', async () => {
    expect(idOf(await sites.find(branch))).toBe('unknown')
    const { reads } = rows
    expect(idOf(await sites.find(branch))).toBe('unknown')
    expect(rows.reads).toBe(reads)
  })
})

describe('while the database is away', () => {
  const away = async () => {
    throw new Error('away')
  }

  test('known sites are served if nobody knows whether they changed, and looked up again a little later', async () => {
    await sites.find(production)
    rows.gate = away
    expect(idOf(sites.peek(production))).toBe('one')
    changes.tell({ topic: 'unconfirmed' })
    expect(idOf(await sites.find(production))).toBe('one')
    const { reads } = rows
    expect(idOf(sites.peek(production))).toBe('one')
    expect(rows.reads).toBe(reads)

    rows.gate = async () => undefined
    rows.sites.set('shop', site('two'))
    time.now += 1_000
    expect(sites.peek(production)).toBeUndefined()
    expect(idOf(await sites.find(production))).toBe('two')
  })

  test('the lookup of an unknown site fails, and the failure is not cached', async () => {
    rows.gate = away
    await expect(sites.find(production)).rejects.toThrow('away')
    rows.gate = async () => undefined
    expect(idOf(await sites.find(production))).toBe('one')
  })
})
