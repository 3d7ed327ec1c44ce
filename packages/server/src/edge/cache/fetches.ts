// The fetches from apps that are under way, by cache key. Other requests with the same key wait until the fetch ends.
import type { CacheKey } from './cached-answer.ts'

export class Fetch {
  readonly cacheKey: CacheKey
  /** Resolves when the answer is stored, or when it is known that it will not be stored. */
  readonly ended: Promise<void>
  /**
   * Whether the key was invalidated during the fetch. The app may have made the answer before that, so it is not
   * stored.
   */
  isOutdated = false
  /** Whether the client went away before the app answered. */
  isAbandoned = false
  readonly end: () => void

  constructor(cacheKey: CacheKey) {
    let resolve = (): void => undefined
    this.cacheKey = cacheKey
    this.ended = new Promise(ended => {
      resolve = ended
    })
    this.end = resolve
  }
}

export class Fetches {
  readonly #underWay = new Map<string, Fetch>()

  find(key: string): Fetch | undefined {
    return this.#underWay.get(key)
  }

  begin(cacheKey: CacheKey): Fetch {
    const fetch = new Fetch(cacheKey)
    this.#underWay.set(cacheKey.text, fetch)
    return fetch
  }

  end(fetch: Fetch): void {
    if (this.#underWay.get(fetch.cacheKey.text) === fetch) this.#underWay.delete(fetch.cacheKey.text)
    fetch.end()
  }

  /**
   * Marks the fetches with matching keys as outdated and removes them. The next request with such a key starts a new
   * fetch.
   */
  outdate(isMeant: (cacheKey: CacheKey) => boolean): void {
    for (const [key, fetch] of this.#underWay) {
      if (!isMeant(fetch.cacheKey)) continue
      fetch.isOutdated = true
      this.#underWay.delete(key)
    }
  }
}
