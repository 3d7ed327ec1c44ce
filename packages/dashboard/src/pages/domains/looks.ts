// Looks again and again at something that others change, such as DNS: soon at first, then less and less often.
import { useEffect } from 'react'

const firstPauseMs = 4_000
const longestPauseMs = 60_000

interface Looks {
  /** Looks at once, and begins with short pauses again. */
  anew(): void
  end(): void
}

export function lookAgain(look: () => Promise<unknown>): Looks {
  let pauseMs = firstPauseMs
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLooking = false
  let hasEnded = false
  const wait = () => {
    timer = setTimeout(go, pauseMs)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
  const go = async () => {
    if (isLooking) return
    clearTimeout(timer)
    isLooking = true
    // A look that fails shows nothing new; the next one may.
    await look().catch(() => undefined)
    isLooking = false
    if (!hasEnded) wait()
  }
  wait()
  return {
    anew() {
      pauseMs = firstPauseMs
      void go()
    },
    end() {
      hasEnded = true
      clearTimeout(timer)
    },
  }
}

/** Looks while `isOpen`, and at once when the tab is shown. `look` must stay the same, or it begins anew. */
export function useLooks(isOpen: boolean, look: () => Promise<unknown>): void {
  useEffect(() => {
    if (!isOpen) return
    const looks = lookAgain(look)
    const onShown = () => void (document.visibilityState === 'visible' && looks.anew())
    document.addEventListener('visibilitychange', onShown)
    return () => {
      looks.end()
      document.removeEventListener('visibilitychange', onShown)
    }
  }, [isOpen, look])
}
