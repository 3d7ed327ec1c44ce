// Cache keys that a visitor's request invalidated, announced to the other processes. Visitors can send such requests as fast
// as they like, so the keys of a few milliseconds go out in one message.

/** A change with the topic `cache`. */
export interface CacheChange {
  topic: 'cache'
  key: string
}

interface Batches {
  batchMs: number
  /** Keys in a batch. Further keys are dropped: other processes then keep those cache entries until they expire. */
  atMost: number
}

/** For the other processes of this node. */
const withinNode: Batches = { batchMs: 5, atMost: 10_000 }

/** For other nodes. Each change is a row in the database, so batches are rarer and smaller. */
export const acrossNodes: Batches = { batchMs: 250, atMost: 200 }

export function batchInvalidations(
  tell: (changes: CacheChange[]) => unknown,
  { batchMs, atMost }: Batches = withinNode,
): (key: string) => void {
  const keys = new Set<string>()
  const flush = () => {
    const changes = [...keys].map(key => ({ topic: 'cache' as const, key }))
    keys.clear()
    tell(changes)
  }
  return key => {
    if (keys.size === 0) setTimeout(flush, batchMs).unref()
    if (keys.size < atMost) keys.add(key)
  }
}
