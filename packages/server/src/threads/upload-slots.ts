// Limits how many uploads are unpacked at a time. A slow sender holds its slot while it sends, so slots are shared fairly
// between owners, and the slowest upload is aborted while others wait.

import { FairQueue, QueueFull } from '../lib/fair-queue.ts'
import { Fault } from '../lib/fault.ts'
import type { SentBody } from './body-channel.ts'

export interface SlotBounds {
  /** How many run at a time. Each takes 2 to 10 MB of memory. */
  inAll: number
  perOwner: number
  /** How many uploads may wait for a slot. Each holds a connection. */
  waiting: number
  /** While others wait, an upload that is slower than this on average is aborted … */
  slowBytesPerSecond: number
  /** … once it has had its slot this long. */
  graceMs: number
}

const defaults: SlotBounds = {
  inAll: 16,
  perOwner: 4,
  waiting: 200,
  slowBytesPerSecond: 64 * 1024,
  graceMs: 10_000,
}

interface Running {
  owner: string
  body: Pick<SentBody, 'sent' | 'fail'>
  since: number
  wasCut: boolean
}

export class UploadSlots {
  readonly #bounds: SlotBounds
  readonly #turns: FairQueue
  readonly #running = new Set<Running>()
  /** The owners with at least one upload. */
  readonly #owners = new Map<string, { turns: FairQueue; uploads: number }>()
  /** The number of running and waiting uploads. */
  #uploads = 0
  #timer: NodeJS.Timeout | undefined

  constructor(bounds: Partial<SlotBounds> = {}) {
    this.#bounds = { ...defaults, ...bounds }
    this.#turns = new FairQueue(this.inAll, this.#bounds.waiting)
  }

  get inAll(): number {
    return this.#bounds.inAll
  }

  async run<T>(owner: string, body: Running['body'], work: () => Promise<T>): Promise<T> {
    const own = this.#owners.get(owner) ?? { turns: this.#newTurns(), uploads: 0 }
    this.#owners.set(owner, own)
    own.uploads++
    this.#uploads++
    this.#watch()
    try {
      return await own.turns.run(() => this.#turns.run(() => this.#work(owner, body, work), owner))
    } catch (error) {
      throw error instanceof QueueFull ? tooMany() : error
    } finally {
      this.#uploads--
      if (--own.uploads === 0) this.#owners.delete(owner)
    }
  }

  #newTurns(): FairQueue {
    return new FairQueue(this.#bounds.perOwner, this.#bounds.waiting)
  }

  async #work<T>(owner: string, body: Running['body'], work: () => Promise<T>): Promise<T> {
    const upload: Running = { owner, body, since: Date.now(), wasCut: false }
    this.#running.add(upload)
    try {
      return await work()
    } catch (error) {
      throw upload.wasCut ? tooSlow() : error
    } finally {
      this.#running.delete(upload)
    }
  }

  /** While uploads wait, checks at intervals for one to abort. */
  #watch(): void {
    this.#timer ??= setInterval(() => {
      if (this.#uploads > this.#running.size) return this.#cutSlowest()
      clearInterval(this.#timer)
      this.#timer = undefined
    }, this.#bounds.graceMs / 10).unref()
  }

  /** Aborts one slow upload, preferably of the owner with the most slots. */
  #cutSlowest(): void {
    const counts = new Map<string, number>()
    for (const { owner } of this.#running) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    const isFull = this.#running.size >= this.inAll
    const isWaitedFor = ({ owner }: Running) =>
      isFull || (this.#owners.get(owner)?.uploads ?? 0) > counts.get(owner)!
    const [victim] = [...this.#running]
      .filter(upload => !upload.wasCut && isWaitedFor(upload) && this.#isSlow(upload))
      .sort((a, b) => counts.get(b.owner)! - counts.get(a.owner)! || rateOf(a) - rateOf(b))
    if (victim === undefined) return
    victim.wasCut = true
    victim.body.fail()
  }

  #isSlow(upload: Running): boolean {
    const { graceMs, slowBytesPerSecond } = this.#bounds
    return Date.now() - upload.since >= graceMs && rateOf(upload) < slowBytesPerSecond
  }
}

const rateOf = ({ body, since }: Running): number => (body.sent * 1000) / Math.max(1, Date.now() - since)

const tooSlow = (): Fault =>
  new Fault(
    'unavailable',
    'The upload was too slow while other uploads waited, and was cut off. Deploy again in a minute.',
    { retryAfter: 60 },
  )

const tooMany = (): Fault =>
  new Fault('unavailable', 'Too many uploads wait to be unpacked. Deploy again in a minute.', {
    retryAfter: 60,
  })
