// How many stored answers the edges of this node dropped because they were told to: they say so here, and whoever told
// them counts. Edges of other nodes are told by the same changes, and count for themselves.

type Listener = (key: string, count: number) => void

export class Evictions {
  readonly #listeners = new Set<Listener>()

  /** Said by an edge, of what it dropped at the change of this key. */
  notify(key: string, count: number): void {
    for (const listener of this.#listeners) listener(key, count)
  }

  /** Returns the unsubscriber. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** How many are dropped at these keys while the work is done. */
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
