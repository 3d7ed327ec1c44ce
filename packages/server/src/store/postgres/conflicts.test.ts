// Transactions that want the same rows in another order. PostgreSQL undoes one of them.
import { EventEmitter, once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { migratedPostgres } from '../../testing/postgres.ts'
import { addProject } from '../../testing/rows.ts'
import { lockProject } from '../projects/projects.ts'
import type { Store } from '../store.ts'
import { openPostgres } from './store.ts'

async function openStore(): Promise<Store> {
  const { url, drop } = await migratedPostgres()
  onTestFinished(drop)
  const store = await openPostgres(url, () => undefined)
  onTestFinished(() => store.close())
  await store.migrate()
  return store
}

/** Resolves for all when that many have come. Those who come later do not wait. */
function meeting(of: number): () => Promise<void> {
  let come = 0
  const door = new EventEmitter()
  const opened = once(door, 'open')
  return async () => {
    if (++come === of) door.emit('open')
    await opened
  }
}

test('transactions that wait for each other are both made, and told once', async () => {
  const store = await openStore()
  const [one, other] = [await addProject(store), await addProject(store)]
  const told: string[] = []
  store.changes.subscribe(change => 'key' in change && told.push(change.key))
  const bothHaveOne = meeting(2)
  let runs = 0
  const lockBoth = (ids: string[], key: string) =>
    store.transact(async (tx, changed) => {
      runs++
      await changed({ topic: 'project', key })
      await lockProject(tx, ids[0]!)
      await bothHaveOne()
      await lockProject(tx, ids[1]!)
      return key
    })

  const done = await Promise.all([
    lockBoth([one.id, other.id], 'first'),
    lockBoth([other.id, one.id], 'second'),
  ])
  expect(done).toEqual(['first', 'second'])
  expect(told.toSorted()).toEqual(['first', 'second'])
  expect(runs).toBe(3)
})

test('a transaction that always meets another one fails in the end', async () => {
  const store = await openStore()
  let runs = 0
  const work = store.transact(async () => {
    runs++
    throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
  })
  await expect(work).rejects.toThrow('deadlock detected')
  expect(runs).toBe(4)
})
