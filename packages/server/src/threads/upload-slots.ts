// How many uploads are unpacked at a time, and whose. A slow sender holds its slot for as long as it sends, so slots are
// shared fairly between owners, and the slowest upload goes when all slots are taken and others wait.
import { Fault } from '../lib/fault.ts'
import { Overload, Turns } from '../lib/turns.ts'
import type { SentBody } from './body-channel.ts'

export interface SlotBounds {
  /** Each takes 2 to 10 MB of memory. */
  inAll: number
  perOwner: number
  /** Uploads that wait for a slot; each of them is a connection of its sender. */
  waiting: number
  /** While others wait, an upload that is slower than this on average gives its slot up … */
  slowBytesPerSecond: number
  /** … once it has had it this long. */
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
  readonly #turns: Turns
  readonly #running = new Set<Running>()
  /** By owner, while it has an upload here. */
  readonly #owners = new Map<string, { turns: Turns; uploads: number }>()
  #waiting = 0
  #timer: NodeJS.Timeout | undefined

  constructor(bounds: Partial<SlotBounds> = {}) {
    this.#bounds = { ...defaults, ...bounds }
    this.#turns = new Turns(this.inAll, this.#bounds.waiting)
  }

  get inAll(): number {
    return this.#bounds.inAll
  }

  async run<T>(owner: string, body: Running['body'], work: () => Promise<T>): Promise<T> {
    const own = this.#owners.get(owner) ?? { turns: this.#newTurns(), uploads: 0 }
    this.#owners.set(owner, own)
    own.uploads++
    try {
      return await own.turns.run(() => this.#enter(owner, body, work))
    } catch (error) {
      throw error instanceof Overload ? tooMany() : error
    } finally {
      if (--own.uploads === 0) this.#owners.delete(owner)
    }
  }

  #newTurns(): Turns {
    return new Turns(this.#bounds.perOwner, this.#bounds.waiting)
  }

  async #enter<T>(owner: string, body: Running['body'], work: () => Promise<T>): Promise<T> {
    this.#waiting++
    let begun = false
    const begin = () => {
      begun = true
      this.#waiting--
    }
    this.#watch()
    try {
      return await this.#turns.run(() => {
        begin()
        return this.#work({ owner, body, since: Date.now(), wasCut: false }, work)
      }, owner)
    } finally {
      if (!begun) begin()
    }
  }

  async #work<T>(upload: Running, work: () => Promise<T>): Promise<T> {
    this.#running.add(upload)
    try {
      return await work()
    } catch (error) {
      throw upload.wasCut ? tooSlow() : error
    } finally {
      this.#running.delete(upload)
    }
  }

  /** While uploads wait, looks for one to cut off. */
  #watch(): void {
    this.#timer ??= setInterval(() => {
      if (this.#waiting > 0) return this.#cutSlowest()
      clearInterval(this.#timer)
      this.#timer = undefined
    }, this.#bounds.graceMs / 10).unref()
  }

  /** One at a time, and of the owner who has most of the slots. */
  #cutSlowest(): void {
    if (this.#running.size < this.inAll) return
    const counts = new Map<string, number>()
    for (const { owner } of this.#running) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    const slow = [...this.#running].filter(upload => !upload.wasCut && this.#isSlow(upload))
    const [victim] = slow.sort((a, b) => counts.get(b.owner)! - counts.get(a.owner)! || rateOf(a) - rateOf(b))
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
