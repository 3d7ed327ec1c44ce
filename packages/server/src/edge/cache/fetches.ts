// Answers that are being fetched from apps: one at a time for each cacheKey, for all who want it meanwhile.
import type { CacheKey } from './cached-answer.ts'

export class Fetch {
  readonly cacheKey: CacheKey
  /** Resolves when it is known what became of it. */
  readonly ended: Promise<void>
  /** Its cacheKey was forgotten meanwhile: what it brings may be from before that, and is not kept. */
  isOutdated = false
  /** Whoever asked went away before there was an answer. */
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

  /** Whoever comes from now on does not share what is under way for these places. */
  outdate(isMeant: (cacheKey: CacheKey) => boolean): void {
    for (const [key, fetch] of this.#underWay) {
      if (!isMeant(fetch.cacheKey)) continue
      fetch.isOutdated = true
      this.#underWay.delete(key)
    }
  }
}
