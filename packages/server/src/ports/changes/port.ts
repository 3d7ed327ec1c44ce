// Changes: messages that rows changed, so that caches drop the stale entries. The rows themselves are the source of truth.

/** What the key of each topic is. */
export const changeTopics = {
  project: 'the name of a project',
  deployment: 'the id of a deployment whose upload began or failed',
  domain: 'a custom domain',
  app: 'the id of the deployment that a server app runs from',
  certificate: 'the name on a certificate',
  cache: 'a cache key',
  log: 'a node, or a request for its logs',
  build: 'the id of a build, or `github`',
  cron: 'the name of the project that has the scheduled job',
  invoice: 'the id of an invoice',
  setting: 'a setting that an operator changed, or `restart`',
  workspace: 'the id of an account or org that got or lost a project',
} as const

/**
 * The topic and the key of a cache entry that is stale now. `everything` means that changes were missed. `unconfirmed` comes again
 * and again while the database does not confirm that none was missed: what visitors may see has to be read anew.
 */
export type Change =
  | { topic: keyof typeof changeTopics; key: string }
  | { topic: 'everything' }
  | { topic: 'unconfirmed' }

export interface Changes {
  /** Calls `listener` for the changes of all processes, in order and after their commit. Returns a function that unsubscribes. */
  subscribe(listener: (change: Change) => void): () => void
  /** Milliseconds since the database last confirmed that this process has missed no change. */
  lagMs(): number
  close(): Promise<void>
}
