// Counts an entry of the access log for the metrics.
import type { RequestCounts } from '../base/request-counts.ts'
import type { Access } from './access.ts'

/** The values of `X-Svc-Cache` for answers from the cache. */
export const cacheHits: ReadonlySet<string> = new Set(['HIT', 'STALE', 'REVALIDATED'])

export function countAccess(counts: RequestCounts, access: Access): void {
  const { source, cache, status, ms, bytes, times } = access
  const isCached = source === 'app' && cache !== undefined && cacheHits.has(cache)
  counts.add({ class: isCached ? 'cache' : source, status, ms, bytes, cache, times })
}
