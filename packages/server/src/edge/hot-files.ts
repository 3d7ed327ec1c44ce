// Files that are asked for again and again, kept as answers that are ready to be sent.
import type { Access } from '../core/stats/access.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { detached } from '../lib/detached.ts'
import { headersWithout, type Representation, wholeHeaders } from './representation.ts'

export interface HotFile {
  readonly weight: number
  readonly representation: Representation
  readonly body: Buffer
  /** Of the whole file, to a client without conditions. */
  readonly headers: string[]
  /** Of a 304. */
  readonly unchangedHeaders: string[]
  readonly projectId: string
  /** The path that it answers, as it is written in requests. */
  readonly path: string
  /** The latest entries of the access log about it, which count further requests like them. */
  lastWhole: Access | undefined
  lastUnchanged: Access | undefined
}

/** Whose file it is, and where. */
export interface HotPlace {
  key: string
  projectId: string
  path: string
}

const KB = 1024
/** Up to here a file is kept from its first request on. */
const smallBytes = 256 * KB
/** Up to here from its second; larger ones, and those that are asked for once, are streamed. */
const mediumBytes = 2048 * KB
/** What an entry takes besides its body: headers, map slot, objects. */
const overhead = 2 * KB

export class HotFiles {
  readonly #files: BoundedCache<HotFile>
  /** Medium files that were asked for lately. */
  readonly #askedFor = new BoundedCache<{ weight: 1 }>(1000)
  readonly #reads = new Map<string, Promise<Buffer>>()

  constructor(budget: number) {
    this.#files = new BoundedCache(budget)
  }

  get bytes(): number {
    return this.#files.weight
  }

  get(key: string): HotFile | undefined {
    return this.#files.get(key)
  }

  /** Whether a file that is being asked for is to be read whole and kept. */
  admits(key: string, size: number): boolean {
    if (size <= smallBytes) return true
    if (size > mediumBytes) return false
    if (this.#askedFor.get(key) !== undefined) return true
    this.#askedFor.set(key, { weight: 1 })
    return false
  }

  /** Reads once for all who ask meanwhile, and keeps what was read. */
  read(
    { key, projectId, path }: HotPlace,
    representation: Representation,
    read: () => Promise<Buffer>,
  ): Promise<Buffer> {
    const underWay = this.#reads.get(key)
    if (underWay !== undefined) return underWay
    const reading = read()
      .then(body => {
        const weight = body.length + 2 * key.length + overhead
        this.#files.set(key, {
          weight,
          representation,
          body,
          headers: wholeHeaders(representation, 'HIT'),
          unchangedHeaders: headersWithout(representation, 'HIT'),
          projectId,
          path: detached(path),
          lastWhole: undefined,
          lastUnchanged: undefined,
        })
        return body
      })
      .finally(() => this.#reads.delete(key))
    this.#reads.set(key, reading)
    return reading
  }
}
