// Remembers what was read about the URLs of an app, as long as one deployment of it is live. Most requests are for a few URLs.
import type { Target } from './targets.ts'

/** A URL whose GET and HEAD requests the app answers: no file, redirect or path password is there. */
export interface AppUrl {
  readonly host: string
  readonly proto: string
  readonly target: Target
  readonly cacheKey: string
}

const urlsAtMost = 100
const longestPath = 500

export class AppUrls {
  /** By path. URLs with a query are not kept, since most of them are requested once. */
  readonly #byPath = new Map<string, AppUrl>()

  find(path: string, host: string, proto: string): AppUrl | undefined {
    const url = this.#byPath.get(path)
    return url !== undefined && url.host === host && url.proto === proto ? url : undefined
  }

  keep(url: AppUrl): void {
    const { written, query } = url.target
    if (query !== '' || written.length > longestPath) return
    if (this.#byPath.size >= urlsAtMost) this.#byPath.clear()
    this.#byPath.set(written, url)
  }
}
