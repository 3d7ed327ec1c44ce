import { hourMs } from '@svc/contract/durations'
import { expect, it } from 'vitest'
import { newId } from '../../lib/ids.ts'
import type { StoredPack } from '../../ports/repo-ledger/port.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { repositoryLedger } from './repository-ledger.ts'

const a = 'a'.repeat(40)
const b = 'b'.repeat(40)
const c = 'c'.repeat(40)

onEveryStore((store, another) => {
  let now = 1_000_000
  const clock = { now: () => now }

  async function newRepository() {
    const id = newId('rep')
    const ledger = repositoryLedger(store(), clock)
    await ledger.create(id, { head: 'main', refs: new Map(), packs: [] })
    let count = 0
    const pack = async (name = `pack-${count}`): Promise<StoredPack> => {
      const object = `${id}.${count++}`
      await ledger.announce(id, object)
      return { id: object, name, packBytes: 100, indexBytes: 10, sha256: 'x' }
    }
    const base = async () => (await ledger.versionOf(id))!
    const main = async (from: string | undefined, to: string | undefined) =>
      await ledger.push(id, {
        ...{ base: await base(), updates: [{ ref: 'refs/heads/main', from, to }] },
        pack: await pack(),
      })
    return { id, ledger, pack, base, main }
  }

  it('of two pushes to one ref at two nodes, exactly one is taken, and the other changes nothing', async () => {
    const { id, ledger, pack, base, main } = await newRepository()
    expect(await main(undefined, a)).toBeUndefined()
    const other = repositoryLedger(await another(), clock)
    const state = await base()
    const push = async (to: string) => ({
      ...{ base: state, updates: [{ ref: 'refs/heads/main', from: a, to }] },
      pack: await pack(),
    })
    const [toB, toC] = [await push(b), await push(c)]
    const answers = await Promise.all([ledger.push(id, toB), other.push(id, toC)])
    const refused = 'Another push has changed refs/heads/main first. Fetch, and push again.'
    expect(answers.filter(answer => answer !== undefined)).toEqual([refused])
    const after = (await other.read(id))!
    expect(after.version).toBe(state.version + 1)
    expect([...after.refs]).toEqual([['refs/heads/main', answers[0] === undefined ? b : c]])
    expect(after.packs).toHaveLength(2)
    expect(await ledger.size(id)).toBe(220)
  })

  it('pushes to different refs from the same version are both taken, unless one name is a folder of the other', async () => {
    const { id, ledger, base } = await newRepository()
    const before = await base()
    const make = (...refs: string[]) =>
      ledger.push(id, {
        ...{ base: before, pack: undefined },
        updates: refs.map(ref => ({ ref, from: undefined, to: a })),
      })
    expect(await make('refs/heads/one')).toBeUndefined()
    expect(await make('refs/heads/two', 'refs/heads/deep/er')).toBeUndefined()
    for (const ref of ['refs/heads/one/more', 'refs/heads/deep'])
      expect(await make('refs/heads/fine', ref)).toContain(ref)
    expect([...(await ledger.read(id))!.refs.keys()].sort()).toEqual([
      ...['refs/heads/deep/er', 'refs/heads/one', 'refs/heads/two'],
    ])
    const updates = [{ ref: 'refs/heads/one', from: a, to: undefined }]
    expect(await ledger.push(id, { base: before, updates, pack: undefined })).toBeUndefined()
    expect(await ledger.refCount(id)).toBe(2)
  })

  it('a push of many refs is one change', async () => {
    const { id, ledger, base } = await newRepository()
    const updates = Array.from({ length: 2_500 }, (_, i) => ({
      ...{ ref: `refs/tags/v${i}`, from: undefined, to: a },
    }))
    expect(await ledger.push(id, { base: await base(), updates, pack: undefined })).toBeUndefined()
    const gone = updates.map(({ ref }) => ({ ref, from: a, to: undefined }))
    expect(await ledger.push(id, { base: await base(), updates: gone, pack: undefined })).toBeUndefined()
    expect(await ledger.refCount(id)).toBe(0)
  })

  it('a push that began before objects were removed is refused', async () => {
    const { id, ledger, pack, base, main } = await newRepository()
    await main(undefined, a)
    const before = await base()
    const { packs } = (await ledger.read(id))!
    expect(await ledger.replacePacks(id, packs, await pack('whole'), before)).toBe(true)
    const updates = [{ ref: 'refs/heads/main', from: a, to: b }]
    expect(await ledger.push(id, { base: before, updates, pack: undefined })).toContain('Push again')
    expect(await ledger.push(id, { base: await base(), updates, pack: undefined })).toBeUndefined()
  })

  it('objects are removed only if nothing was pushed meanwhile, and packs are put together once', async () => {
    const { id, ledger, pack, base, main } = await newRepository()
    await main(undefined, a)
    const before = await base()
    const { packs } = (await ledger.read(id))!
    await main(a, b)
    expect(await ledger.replacePacks(id, packs, await pack('whole'), before)).toBe(false)
    expect(await ledger.replacePacks(id, packs, await pack('together'), undefined)).toBe(true)
    expect(await ledger.replacePacks(id, packs, await pack('again'), undefined)).toBe(false)
    expect((await ledger.read(id))!.packs.map(({ name }) => name)).not.toContain('again')
    expect(await ledger.unused(id)).toEqual([])
    now += 2 * hourMs
    expect(await ledger.unused(id)).toEqual([packs[0]?.id])
    now += 24 * hourMs
    expect(await ledger.unused(id)).toHaveLength(3)
    await ledger.clear(id)
    expect(await ledger.ids()).toContain(id)
    for (const object of await ledger.unused(id)) await ledger.forgetObject(object)
    expect(await ledger.ids()).not.toContain(id)
    expect(await ledger.versionOf(id)).toBeUndefined()
  })
})
