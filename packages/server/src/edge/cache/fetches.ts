// Fetches from apps that are under way: at most one for each cache key. Other requests for the same key wait for it.
import type { CacheKey } from './cached-answer.ts'

export class Fetch {
  readonly cacheKey: CacheKey
  /** Resolves when the answer was stored, or will not be. */
  readonly ended: Promise<void>
  /** The key was invalidated during the fetch. The answer may be older than that, so it is not stored. */
  isOutdated = false
  /** The client went away before there was an answer. */
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

  /** Marks fetches as outdated. Later requests for these keys start a new fetch. */
  outdate(isMeant: (cacheKey: CacheKey) => boolean): void {
    for (const [key, fetch] of this.#underWay) {
      if (!isMeant(fetch.cacheKey)) continue
      fetch.isOutdated = true
      this.#underWay.delete(key)
    }
  }
}
