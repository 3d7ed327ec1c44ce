// Whether the platform answers. When it stops, it is asked again until it does, and pages refresh themselves.
import { createStore } from './store.ts'

const askAgainMs = 3_000

export const answering = createStore(true)

/** Somebody asked and got no answer. */
export function noteSilence(apiUrl: string): void {
  if (!answering.get()) return
  answering.set(false)
  const timer = setInterval(async () => {
    // Any answer will do, and without one there is nothing new to say.
    const answered = await fetch(`${apiUrl}/health`).catch(() => undefined)
    if (!answered) return
    clearInterval(timer)
    answering.set(true)
    // What is on the page looks again, as it does when the browser itself was offline.
    dispatchEvent(new Event('online'))
  }, askAgainMs)
}
