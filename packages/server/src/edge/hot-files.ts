// Keeps requested files in memory, together with the headers of their answers.
import type { Access } from '../core/stats/access.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { detached } from '../lib/detached.ts'
import { contentlessHeaders, type Representation, wholeHeaders } from './representation.ts'

export interface HotFile {
  readonly weight: number
  readonly representation: Representation
  readonly body: Buffer
  /** The headers of a 200 with the whole file. */
  readonly headers: string[]
  /** The headers of a 304. */
  readonly unchangedHeaders: string[]
  readonly projectId: string
  readonly deploymentId: string
  /** The path of the requests that this file answers, not decoded. */
  readonly path: string
  /** The latest entry of the access log for a 200 with this file. `countHot` also counts equal requests in this entry. */
  lastWhole: Access | undefined
  /** The same for a 304. */
  lastUnchanged: Access | undefined
}

interface HotFileIdentity {
  key: string
  projectId: string
  deploymentId: string
  path: string
}

const KB = 1024
/** Files up to this size are kept from their first request on. */
const smallBytes = 256 * KB
/** Files up to this size are kept from their second request on. Larger files are always streamed. */
const mediumBytes = 2048 * KB
/** An estimate of the memory that an entry needs besides its body and key: headers, map slot, objects. */
const overhead = 2 * KB

export class HotFiles {
  readonly #files: BoundedCache<HotFile>
  /** The keys of medium-sized files that were requested recently. */
  readonly #askedFor = new BoundedCache<{ weight: 1 }>(1000)
  /** By key and ETag. A request that came before the variants were found may read other bytes for the same key. */
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

  /** Whether to keep a requested file in memory. Remembers the first request for a medium-sized file. */
  admits(key: string, size: number): boolean {
    if (size <= smallBytes) return true
    if (size > mediumBytes) return false
    if (this.#askedFor.get(key) !== undefined) return true
    this.#askedFor.set(key, { weight: 1 })
    return false
  }

  /** Reads the file with `read` and keeps it in memory. Concurrent requests for the same file share one read. */
  read(
    { key, projectId, deploymentId, path }: HotFileIdentity,
    representation: Representation,
    read: () => Promise<Buffer>,
  ): Promise<Buffer> {
    const readKey = `${key} ${representation.etag}`
    const underWay = this.#reads.get(readKey)
    if (underWay !== undefined) return underWay
    const reading = read()
      .then(body => {
        const weight = body.length + 2 * key.length + overhead
        this.#files.set(key, {
          weight,
          representation,
          body,
          headers: wholeHeaders(representation, 'HIT'),
          unchangedHeaders: contentlessHeaders(representation, 'HIT'),
          projectId,
          deploymentId,
          path: detached(path),
          lastWhole: undefined,
          lastUnchanged: undefined,
        })
        return body
      })
      .finally(() => this.#reads.delete(readKey))
    this.#reads.set(readKey, reading)
    return reading
  }
}
