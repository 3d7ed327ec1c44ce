// Updates the headers of a cache entry with those of a 304 (RFC 9111, 3.2).
import { headersWithout, valueIn } from '../../lib/raw-headers.ts'
import type { CachedAnswer } from './cached-answer.ts'

/**
 * Header fields that are not copied from a 304: fields about its own body or connection, and cookies, which are for one
 * visitor.
 */
const notUpdated = new Set([
  'content-length',
  'content-encoding',
  'content-range',
  'content-md5',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'set-cookie',
])

/**
 * Returns the entry's headers, updated with `said`: the headers of the 304, without those that visitors must not see.
 */
export function renewedHeaders(cached: CachedAnswer, said: readonly string[]): string[] {
  const updated = headersWithout(said, name => notUpdated.has(name))
  // The old Age is always removed, because it is from before the renewal.
  const isReplaced = (name: string) => name === 'age' || valueIn(updated, name) !== undefined
  return [...headersWithout(cached.answered.headers, isReplaced), ...updated]
}
