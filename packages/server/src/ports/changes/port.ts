// Changes: hints that rows changed, so that caches forget exactly what is stale. Rows stay the truth.

/** What changed, by the key that caches use; `everything` after a gap in which changes may have been missed. */
export type Change =
  | {
      topic: 'project' | 'domain' | 'app' | 'certificate' | 'cache' | 'log' | 'build' | 'invoice'
      key: string
    }
  | { topic: 'everything' }

export interface Changes {
  /** Called for changes of this and of other processes, in order, never before their commit. Returns the unsubscriber. */
  subscribe(listener: (change: Change) => void): () => void
  close(): Promise<void>
}
