// Keys of cached answers that visitors' requests made worthless, told to other processes. Visitors can send such requests
// as fast as they like: those of a few milliseconds go in one message.
/** Of the topic of cached answers. */
export interface CacheChange {
  topic: 'cache'
  key: string
}

export interface Batches {
  everyMs: number
  /** Keys in a batch. Further ones are not told: the others keep those answers until they expire. */
  atMost: number
}

/** To processes of this node. */
const withinNode: Batches = { everyMs: 5, atMost: 10_000 }

/** To other nodes, by rows of the database. */
export const acrossNodes: Batches = { everyMs: 250, atMost: 200 }

export function batchInvalidations(
  tell: (changes: CacheChange[]) => unknown,
  { everyMs, atMost }: Batches = withinNode,
): (key: string) => void {
  const keys = new Set<string>()
  const flush = () => {
    const changes = [...keys].map(key => ({ topic: 'cache' as const, key }))
    keys.clear()
    tell(changes)
  }
  return key => {
    if (keys.size === 0) setTimeout(flush, everyMs).unref()
    if (keys.size < atMost) keys.add(key)
  }
}
