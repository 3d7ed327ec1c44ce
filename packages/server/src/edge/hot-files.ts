// Files that are requested often, kept in memory as complete answers.
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
  /** The path of the requests that it answers, not decoded. */
  readonly path: string
  /** The latest entries of the access log about it, which count further requests like them. */
  lastWhole: Access | undefined
  lastUnchanged: Access | undefined
}

/** Identifies a hot file: its key, project and path. */
interface HotFileIdentity {
  key: string
  projectId: string
  path: string
}

const KB = 1024
/** A file up to this size is kept from its first request on. */
const smallBytes = 256 * KB
/** A file up to this size is kept from its second request on. Larger files are always streamed. */
const mediumBytes = 2048 * KB
/** The memory of an entry besides its body: headers, map slot, objects. */
const overhead = 2 * KB

export class HotFiles {
  readonly #files: BoundedCache<HotFile>
  /** Medium-sized files that were requested recently. */
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

  /** Whether to read a requested file whole and keep it. */
  admits(key: string, size: number): boolean {
    if (size <= smallBytes) return true
    if (size > mediumBytes) return false
    if (this.#askedFor.get(key) !== undefined) return true
    this.#askedFor.set(key, { weight: 1 })
    return false
  }

  /** Reads the file and keeps it. Concurrent requests share one read. */
  read(
    { key, projectId, path }: HotFileIdentity,
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
          unchangedHeaders: contentlessHeaders(representation, 'HIT'),
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
