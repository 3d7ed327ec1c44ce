// Keeps requested files in memory, together with the headers of their answers. Of files that are too large it keeps only the headers.
import type { Readable } from 'node:stream'
import type { Access } from '../core/stats/access.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { detached } from '../lib/detached.ts'
import { contentlessHeaders, type Representation, wholeHeaders } from './representation.ts'

/** What is known of a file that was requested before. */
export interface KnownFile {
  readonly weight: number
  readonly representation: Representation
  /** The headers of a 200 with the whole file. */
  readonly headers: string[]
  /** The headers of a 304. */
  readonly unchangedHeaders: string[]
  /** The value of `X-Svc-Cache`. */
  readonly cache: 'HIT' | 'MISS'
  readonly projectId: string
  readonly deploymentId: string
  /** The path of the requests that this file answers, not decoded. */
  readonly path: string
  /** The latest entry of the access log for a 200 with this file. `countHot` also counts equal requests in this entry. */
  lastWhole: Access | undefined
  /** The same for a 304. */
  lastUnchanged: Access | undefined
}

export interface HotFile extends KnownFile {
  readonly body: Buffer
}

/** A file that is too large for the memory. */
export interface StoredFile extends KnownFile {
  /** Begins to read the file. `undefined` if it is no longer stored. */
  open(): Promise<Readable | undefined>
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
const mediumBytes = 2048 * KB
/** For how many bytes of entries the headers of larger files are kept. */
const storedBudget = 4096 * KB
/** An estimate of the memory that an entry needs besides its body and key: headers, map slot, objects. */
const overhead = 2 * KB

export class HotFiles {
  readonly #files: BoundedCache<HotFile>
  readonly #mostBytes: number
  readonly #stored = new BoundedCache<StoredFile>(storedBudget)
  /** The keys of medium-sized files that were requested recently. */
  readonly #askedFor = new BoundedCache<{ weight: 1 }>(1000)
  /** By key and ETag. A request that came before the variants were found may read other bytes for the same key. */
  readonly #reads = new Map<string, Promise<Buffer>>()

  /** Files of more than `mostBytes` are not kept in memory. Those of more than 256 KB are kept from their second request on. */
  constructor(budget: number, mostBytes = mediumBytes) {
    this.#files = new BoundedCache(budget)
    this.#mostBytes = mostBytes
  }

  get bytes(): number {
    return this.#files.weight
  }

  get(key: string): HotFile | undefined {
    return this.#files.get(key)
  }

  /** Whether to keep a requested file in memory. Remembers the first request for a medium-sized file. */
  admits(key: string, size: number): boolean {
    if (size > this.#mostBytes) return false
    if (size <= smallBytes) return true
    if (this.#askedFor.get(key) !== undefined) return true
    this.#askedFor.set(key, { weight: 1 })
    return false
  }

  getStored(key: string): StoredFile | undefined {
    return this.#stored.get(key)
  }

  /** Remembers a file that is too large for the memory. */
  remember(identity: HotFileIdentity, representation: Representation, open: StoredFile['open']): void {
    const { key } = identity
    if (representation.size <= this.#mostBytes || this.#stored.get(key) !== undefined) return
    const weight = 2 * key.length + overhead
    this.#stored.set(key, { ...known(identity, representation, 'MISS'), weight, open })
  }

  /** Reads the file with `read` and keeps it in memory. Concurrent requests for the same file share one read. */
  read(
    identity: HotFileIdentity,
    representation: Representation,
    read: () => Promise<Buffer>,
  ): Promise<Buffer> {
    const { key } = identity
    const readKey = `${key} ${representation.etag}`
    const underWay = this.#reads.get(readKey)
    if (underWay !== undefined) return underWay
    const reading = read()
      .then(body => {
        const weight = body.length + 2 * key.length + overhead
        this.#files.set(key, { ...known(identity, representation, 'HIT'), weight, body })
        return body
      })
      .finally(() => this.#reads.delete(readKey))
    this.#reads.set(readKey, reading)
    return reading
  }
}

const known = (
  { projectId, deploymentId, path }: HotFileIdentity,
  representation: Representation,
  cache: 'HIT' | 'MISS',
): Omit<KnownFile, 'weight'> => ({
  representation,
  headers: wholeHeaders(representation, cache),
  unchangedHeaders: contentlessHeaders(representation, cache),
  cache,
  projectId,
  deploymentId,
  path: detached(path),
  lastWhole: undefined,
  lastUnchanged: undefined,
})
