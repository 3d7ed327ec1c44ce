// A transaction that has done its work, and commits when the test says so.
import { EventEmitter, once } from 'node:events'
import type { Store } from '../store/store.ts'

/** Holds the next transaction of the store at its end. */
export function holdNextTransaction(store: Store): { reached: Promise<unknown>; release(): void } {
  const steps = new EventEmitter()
  const [reached, released] = [once(steps, 'reached'), once(steps, 'released')]
  const { transact } = store
  store.transact = <T>(work: Parameters<typeof transact<T>>[0]) => {
    store.transact = transact
    return transact.call<Store, [typeof work], Promise<T>>(store, async (tx, changed) => {
      const result = await work(tx, changed)
      steps.emit('reached')
      await released
      return result
    })
  }
  return { reached, release: () => void steps.emit('released') }
}
