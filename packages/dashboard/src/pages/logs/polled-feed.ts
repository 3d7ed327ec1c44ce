// A log as it grows. It is asked for again and again while the page can be seen, and keeps what it has while the API fails.
import { createStore, type Store } from '../../store.ts'

interface Failing {
  /** Why the last look failed. Undefined if it did not. */
  error: unknown
}

export abstract class PolledFeed<View extends object> {
  readonly view: Store<View & Failing>
  readonly #intervalMs: number

  constructor(empty: View, intervalMs: number) {
    this.view = createStore<View & Failing>({ ...empty, error: undefined })
    this.#intervalMs = intervalMs
  }

  /** What is to be shown after an answer of the API. */
  protected abstract ask(): Promise<View>

  async look(): Promise<void> {
    try {
      this.view.set({ ...(await this.ask()), error: undefined })
    } catch (error) {
      this.view.set({ ...this.view.get(), error })
    }
  }

  /** Starts the feed. Returns a function that stops it. */
  run(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const next = async () => {
      if (document.visibilityState === 'visible') await this.look()
      if (!isOver) timer = setTimeout(next, this.#intervalMs)
    }
    void next()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }
}
