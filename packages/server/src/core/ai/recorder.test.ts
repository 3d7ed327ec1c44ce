import { expect, test } from 'vitest'
import { newId } from '../../lib/ids.ts'
import { aiDays, costOfMonth } from '../../store/ai/ai.ts'
import { deleteExpiredReservations, insertReservation, lockCosts } from '../../store/ai/reservations.ts'
import type { Store } from '../../store/store.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { monthOf } from '../base/periods.ts'
import { makeToken } from '../identity/tokens.ts'
import { AiUsageRecorder } from './recorder.ts'

const now = Date.parse('2026-03-31T23:00:00Z')
const always = { from: 0, to: Number.MAX_SAFE_INTEGER }
const counts = {
  uncounted: 0,
  unpriced: 0,
  prompt_tokens: 10,
  cached_tokens: 4,
  completion_tokens: 2,
  cost: 7,
}

onEveryStore((store, another) => {
  async function owner(): Promise<{ ownerId: string; tokenId: string }> {
    const { db } = store()
    const ownerId = newId('acc')
    const forge_id = Math.floor(Math.random() * 1e15)
    const account = {
      id: ownerId,
      forge_id,
      login: ownerId,
      email: null,
      password_hash: null,
      is_admin: 0,
      created_at: now,
    }
    await db.insertInto('accounts').values(account).execute()
    const token = await makeToken(db, now, { kind: 'ai', label: '', accountId: ownerId })
    return { ownerId, tokenId: token.id }
  }
  const recorderAt = (at: Store, clock = { now: () => now }) => new AiUsageRecorder(at, clock)

  test('uses are added up by day, model and token', async () => {
    const key = await owner()
    let at = now
    const recorder = recorderAt(store(), { now: () => at })
    for (const model of ['a', 'b', 'a']) recorder.note({ ...key, ...counts, model })
    at += 3_600_000 // The first of April.
    recorder.note({ ...key, ...counts, model: 'a' })
    await recorder.write()
    const rows = await aiDays(store().db, key.ownerId, always)
    expect(
      rows.map(({ day, model, requests, cached_tokens }) => [day, model, requests, cached_tokens]),
    ).toEqual([
      [Date.parse('2026-03-31'), 'a', 2, 8],
      [Date.parse('2026-03-31'), 'b', 1, 4],
      [Date.parse('2026-04-01'), 'a', 1, 4],
    ])
    expect(await costOfMonth(store().db, key.ownerId, monthOf(now).start)).toBe(21)
    expect(await costOfMonth(store().db, key.ownerId, monthOf(at).start)).toBe(7)
  })

  test('two nodes that write at the same time lose nothing', async () => {
    const keys = [await owner(), await owner()]
    const nodes = [recorderAt(store()), recorderAt(await another())]
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        for (const node of nodes)
          for (const key of keys) node.note({ ...key, ...counts, model: `model-${i % 3}` })
        await Promise.all(nodes.map(node => node.write()))
      }),
    )
    for (const { ownerId } of keys) {
      const rows = await aiDays(store().db, ownerId, always)
      expect(rows.reduce((sum, row) => sum + row.requests, 0)).toBe(40)
      expect(await costOfMonth(store().db, ownerId, monthOf(now).start)).toBe(40 * 7)
    }
  })

  test('the names of models are bounded: those beyond a hundred count as other', async () => {
    const key = await owner()
    const recorder = recorderAt(store())
    for (let i = 0; i < 150; i++) {
      recorder.note({ ...key, ...counts, model: `hostile-${i}` })
      if (i === 70) await recorder.write()
    }
    await recorder.write()
    const rows = await aiDays(store().db, key.ownerId, always)
    expect(rows.length).toBe(101)
    expect(rows.find(row => row.model === 'other')?.requests).toBe(50)
    expect(rows.reduce((sum, row) => sum + row.requests, 0)).toBe(150)
  })

  test('usage of a deleted token is left out, and all other usage is written', async () => {
    const [kept, gone] = [await owner(), await owner()]
    const recorder = recorderAt(store())
    for (const key of [kept, gone]) recorder.note({ ...key, ...counts, model: 'a' })
    await store().db.deleteFrom('accounts').where('id', '=', gone.ownerId).execute()
    await recorder.write()
    expect(await aiDays(store().db, gone.ownerId, always)).toEqual([])
    expect((await aiDays(store().db, kept.ownerId, always)).length).toBe(1)
  })

  test('a reservation ends together with the write of what the request cost', async () => {
    const key = await owner()
    const month = monthOf(now).start
    const of = { owner_id: key.ownerId, month, now }
    const costs = async () => {
      const { used, reserved } = await store().transact(tx => lockCosts(tx, of))
      return used + reserved
    }
    const row = { owner_id: key.ownerId, expires_at: now + 1 }
    await store().transact(async tx => {
      for (const id of ['one', 'two'])
        await insertReservation(tx, { ...row, id: id + key.ownerId, cost: 100 })
    })
    const recorder = recorderAt(store())
    recorder.note({ ...key, ...counts, model: 'a' })
    recorder.release(key.ownerId, `one${key.ownerId}`)
    expect(await costs()).toBe(200)
    await recorder.writeOf('another owner')
    expect(await costs()).toBe(200)
    await recorder.writeOf(key.ownerId)
    expect(await costs()).toBe(107)
    // The node of the other request was lost.
    await deleteExpiredReservations(store().db, now + 1)
    expect(await costs()).toBe(7)
  })

  test('usage that cannot be written waits for the next write', async () => {
    const key = await owner()
    let isAway = true
    const away: Store = Object.create(store(), {
      transact: {
        value: (work: Parameters<Store['transact']>[0]) =>
          isAway ? Promise.reject(new Error('away')) : store().transact(work),
      },
    })
    const recorder = recorderAt(away)
    const told: unknown[] = []
    recorder.onError = (_error, lost) => told.push(lost)
    recorder.note({ ...key, ...counts, model: 'a' })
    await expect(recorder.write()).rejects.toThrow('away')
    expect(told).toEqual([0])
    isAway = false
    await recorder.close()
    expect((await aiDays(store().db, key.ownerId, always)).length).toBe(1)
  })
})
