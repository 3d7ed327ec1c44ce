// Runs work under several abort signals.
import { setMaxListeners } from 'node:events'

/** Removes its listeners afterwards. `AbortSignal.any` does not, and leaks memory on a signal that lives long. */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const end = (event: Event): void => ending.abort((event.target as AbortSignal).reason)
  // Much work may run under one signal, so Node's warning about leaks does not apply.
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
