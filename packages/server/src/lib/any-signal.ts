// Work that ends when the first of several signals says so.
import { setMaxListeners } from 'node:events'

/** Lets go of the signals afterwards. AbortSignal.any does not: on one that lives long it leaves a trace for ever. */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const end = (event: Event): void => ending.abort((event.target as AbortSignal).reason)
  // Much work may be under way under one signal: no leak to be warned of.
  setMaxListeners(0, ...signals)
  for (const signal of signals) {
    if (signal.aborted) ending.abort(signal.reason)
    signal.addEventListener('abort', end)
  }
  try {
    return await work(ending.signal)
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', end)
  }
}
