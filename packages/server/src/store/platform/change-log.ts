// The change feed: its listeners in this process, and its rows.
import { type Change, changeTopics } from '../../ports/changes/port.ts'
import { deletedAtOnce, deleteInBatches } from '../in-batches.ts'
import type { Db } from '../store.ts'

export class ChangeListeners {
  readonly #listeners = new Set<(change: Change) => void>()

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(changes: Iterable<Change>): void {
    for (const change of changes) for (const listener of this.#listeners) listener(change)
  }
}

/** The change of a row. A topic that this version does not know counts as `everything`. */
export function changeOf(row: { topic: string; key: string }): Change {
  return isTopic(row.topic) ? { topic: row.topic, key: row.key } : { topic: 'everything' }
}

const isTopic = (topic: string): topic is keyof typeof changeTopics => Object.hasOwn(changeTopics, topic)

export async function deleteOldChanges(db: Db, before: number): Promise<void> {
  await deleteInBatches(() =>
    db
      .deleteFrom('changes')
      .where('seq', 'in', eb =>
        eb.selectFrom('changes').select('seq').where('at', '<', before).limit(deletedAtOnce),
      )
      .executeTakeFirst(),
  )
}
