// Counts the cache entries that the edges of this node dropped because of a change, for the caller who made the change.
// Edges of other nodes drop theirs, too, but are not counted.

type Listener = (key: string, count: number) => void

export class Evictions {
  readonly #listeners = new Set<Listener>()

  /** An edge reports how many entries it dropped for this key. */
  notify(key: string, count: number): void {
    for (const listener of this.#listeners) listener(key, count)
  }

  /** Returns the unsubscriber. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Runs the work and resolves with the number of entries dropped for these keys meanwhile. */
  async during(keys: ReadonlySet<string>, work: () => Promise<void>): Promise<number> {
    let dropped = 0
    const unsubscribe = this.subscribe((key, count) => {
      if (keys.has(key)) dropped += count
    })
    try {
      await work()
      return dropped
    } finally {
      unsubscribe()
    }
  }
}
