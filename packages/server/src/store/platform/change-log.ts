// The change feed's listeners in this process, and what one row of the feed means to them.
import type { Change } from '../../ports/changes/port.ts'

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

const topics = ['project', 'domain', 'app', 'certificate', 'cache', 'log', 'build'] as const

/** A row of the feed; a topic that this version does not know may concern anything. */
export function changeOf(row: { topic: string; key: string }): Change {
  const topic = topics.find(known => known === row.topic)
  return topic ? { topic, key: row.key } : { topic: 'everything' }
}
