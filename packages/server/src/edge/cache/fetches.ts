// Answers that are being fetched from apps: one at a time for each place, for all who want it meanwhile.
import type { Place } from './cached-answer.ts'

export class Fetch {
  readonly place: Place
  /** Resolves when it is known what became of it. */
  readonly ended: Promise<void>
  /** Its place was forgotten meanwhile: what it brings may be from before that, and is not kept. */
  isOutdated = false
  /** Whoever asked went away before there was an answer. */
  isAbandoned = false
  readonly end: () => void

  constructor(place: Place) {
    let resolve = (): void => undefined
    this.place = place
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

  begin(place: Place): Fetch {
    const fetch = new Fetch(place)
    this.#underWay.set(place.key, fetch)
    return fetch
  }

  end(fetch: Fetch): void {
    if (this.#underWay.get(fetch.place.key) === fetch) this.#underWay.delete(fetch.place.key)
    fetch.end()
  }

  /** Whoever comes from now on does not share what is under way for these places. */
  outdate(isMeant: (place: Place) => boolean): void {
    for (const [key, fetch] of this.#underWay) {
      if (!isMeant(fetch.place)) continue
      fetch.isOutdated = true
      this.#underWay.delete(key)
    }
  }
}
