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
/** How long a path counts as one whose answers are compressed. */
const compressedMs = 10_000

export class AppUrls {
  /** By path. URLs with a query are not kept, since most of them are requested once. */
  readonly #byPath = new Map<string, AppUrl>()
  /** Paths whose answers are compressed, and until when this is assumed. */
  readonly #compressed = new Map<string, number>()

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

  /** Notes that the edge compresses an answer of this path. The ordinary way does that, so the lane leaves such requests to it. */
  noteCompressed({ written }: Target): void {
    if (written.length > longestPath) return
    if (this.#compressed.size >= urlsAtMost) this.#compressed.clear()
    this.#compressed.set(written, performance.now() + compressedMs)
  }

  /** Whether an answer of this path was compressed a short time ago. */
  isCompressed({ written }: Target): boolean {
    return this.#compressed.size > 0 && (this.#compressed.get(written) ?? 0) > performance.now()
  }
}
