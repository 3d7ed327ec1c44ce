// Notices when the platform stops answering, asks again until it answers, and then refreshes the pages.
import { createStore } from './store.ts'

const askAgainMs = 3_000

export const answering = createStore(true)

/** Notes that a call got no answer. */
export function noteSilence(apiUrl: string): void {
  if (!answering.get()) return
  answering.set(false)
  const timer = setInterval(async () => {
    // Any answer means that the platform is back. Without an answer nothing has changed.
    const answered = await fetch(`${apiUrl}/health`).catch(() => undefined)
    if (!answered) return
    clearInterval(timer)
    answering.set(true)
    // The page loads its data again, as it does after the browser was offline.
    dispatchEvent(new Event('online'))
  }, askAgainMs)
}
