// Changes: messages that rows changed, so that caches drop the stale entries. The rows themselves are the source of truth.

/** The topic and the key of a cache entry that is stale now. `everything` means that changes may have been missed. */
export type Change =
  | {
      topic: 'project' | 'domain' | 'app' | 'certificate' | 'cache' | 'log' | 'build' | 'invoice'
      key: string
    }
  | { topic: 'everything' }

export interface Changes {
  /** Calls `listener` for the changes of all processes, in order and after their commit. Returns a function that unsubscribes. */
  subscribe(listener: (change: Change) => void): () => void
  close(): Promise<void>
}
