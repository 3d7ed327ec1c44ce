// Counts requests for the metrics, of each process of this node. Sites are counted from the access log, a moment after the answer,
// so that counting takes no time while a request is served.
import { STATUS_CODES } from 'node:http'

/** Who answered: a file, the cache of an app, an app, a page of the platform, or the API. */
type RequestClass = 'static' | 'cache' | 'app' | 'platform' | 'api'

/** The upper limits of the buckets of the latency histogram, in milliseconds. The last bucket has none. */
export const bucketLimitsMs = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const

interface Latency {
  /** Requests by bucket, one more than there are limits. */
  buckets: number[]
  ms: number
}

/** Plain values, since a worker sends them to the main process. */
export interface Counts {
  /** By class and status, such as `static 200`. */
  requests: Record<string, number>
  latency: Partial<Record<RequestClass, Latency>>
  bytes: Partial<Record<RequestClass, number>>
  /** By class and the value of `X-Svc-Cache`, such as `static HIT`. */
  cache: Record<string, number>
  /** By endpoint and status, such as `GET /me 200`. */
  endpoints: Record<string, number>
}

interface Answered {
  class: RequestClass
  /** 0 if the client disconnected before an answer began. */
  status: number
  /** `undefined` for an answer from memory, which takes no time. */
  ms: number | undefined
  bytes: number
  cache?: string | undefined
  times: number
}

/** How often a worker tells the main process. */
const tellEveryMs = 2_000
const cacheStates = new Set(['HIT', 'MISS', 'STALE', 'REVALIDATED', 'EXPIRED', 'BYPASS'])

const noCounts = (): Counts => ({ requests: {}, latency: {}, bytes: {}, cache: {}, endpoints: {} })

export class RequestCounts {
  readonly #own = noCounts()
  readonly #workers = new Map<string, Counts>()
  #tellMain: ((counts: Counts) => void) | undefined
  #timer: NodeJS.Timeout | undefined

  /** The counts of this process and of its workers, by the name of the process. */
  get all(): ReadonlyMap<string, Counts> {
    return new Map([['main', this.#own], ...this.#workers])
  }

  add({ class: kind, status, ms = 0, bytes, cache, times }: Answered): void {
    const { requests, latency, bytes: sent, cache: states } = this.#own
    increase(requests, `${kind} ${statusLabel(status)}`, times)
    if (bytes > 0) sent[kind] = (sent[kind] ?? 0) + bytes * times
    if (cache !== undefined && cacheStates.has(cache)) increase(states, `${kind} ${cache}`, times)
    const known = latency[kind] ?? { buckets: new Array<number>(bucketLimitsMs.length + 1).fill(0), ms: 0 }
    latency[kind] = known
    const within = bucketLimitsMs.findIndex(limit => ms <= limit)
    const bucket = within < 0 ? bucketLimitsMs.length : within
    known.buckets[bucket] = (known.buckets[bucket] ?? 0) + times
    known.ms += ms * times
    if (this.#tellMain) this.#timer ??= setTimeout(() => this.#tellNow(), tellEveryMs).unref()
  }

  /** A request of the API. The endpoint is its pattern, such as `GET /projects/:name`, or `none`. */
  addCall(endpoint: string, status: number, ms: number): void {
    this.add({ class: 'api', status, ms, bytes: 0, times: 1 })
    increase(this.#own.endpoints, `${endpoint} ${statusLabel(status)}`, 1)
  }

  /** In a worker: what the main process gets now and then. */
  tellTo(tell: (counts: Counts) => void): void {
    this.#tellMain = tell
  }

  /** In the main process: the newest counts of a worker. `undefined` if the worker has ended. */
  setWorker(name: string, counts: Counts | undefined): void {
    if (counts) this.#workers.set(name, counts)
    else this.#workers.delete(name)
  }

  #tellNow(): void {
    this.#timer = undefined
    this.#tellMain?.(this.#own)
  }
}

function increase(counts: Record<string, number>, key: string, by: number): void {
  counts[key] = (counts[key] ?? 0) + by
}

/** An app may answer with any number, so those without a meaning count as one. */
const statusLabel = (status: number): string =>
  status === 0 ? 'aborted' : status in STATUS_CODES ? String(status) : 'other'
