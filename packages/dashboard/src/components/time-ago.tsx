import { formatAgo, formatMoment } from '../format.ts'
import { createStore } from '../store.ts'

const now = createStore(Date.now())

/** One clock for all times on a page. */
export function startClock(): void {
  setInterval(() => now.set(Date.now()), 20_000)
}

/** The time in milliseconds. Components that use it are rendered again as time passes. */
export const useNow = (): number => Math.max(now.use(), Date.now())

export function TimeAgo({ at }: { at: string }) {
  return (
    <time dateTime={at} data-tip={formatMoment(at)}>
      {formatAgo(at, useNow())}
    </time>
  )
}
