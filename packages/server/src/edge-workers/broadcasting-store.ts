// A store that announces the changes of a transaction to the other processes of this node before the transaction resolves.
// When the caller learns that a change is done, every process already shows it.
import type { Change } from '../ports/changes/port.ts'
import type { Store } from '../store/store.ts'

export function broadcastingStore(store: Store, tell: (changes: Change[]) => Promise<void> | void): Store {
  return {
    ...store,
    async transact(work) {
      let told: Change[] = []
      const result = await store.transact((tx, changed) => {
        told = []
        return work(tx, async change => {
          await changed(change)
          told.push(change)
        })
      })
      if (told.length > 0) await tell(told)
      return result
    },
  }
}
