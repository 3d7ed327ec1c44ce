// Bounded concurrency: a few at a time, a few more wait, the rest are refused. Those who wait are served in turn, client
// by client, so that one client with much work does not keep the others waiting.
export class QueueFull extends Error {}

interface Waiting {
  begin(): void
  refuse(): void
}

export class FairQueue {
  readonly #atOnce: number
  readonly #waitingAtMost: number
  /** By client, in the order in which they have their next turn. */
  readonly #queues = new Map<string, Waiting[]>()
  #waiting = 0
  #running = 0

  constructor(atOnce: number, waitingAtMost: number) {
    this.#atOnce = atOnce
    this.#waitingAtMost = waitingAtMost
  }

  /** Whether this client would be refused now. */
  isFullFor(client = ''): boolean {
    return this.#isFull && this.#longestQueue().length <= (this.#queues.get(client)?.length ?? 0) + 1
  }

  /** Rejects with an Overload if too much waits already; then the client that has most waiting is refused first. */
  async run<T>(work: () => Promise<T>, client = ''): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++
    else await this.#wait(client)
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next) next.begin()
      else this.#running--
    }
  }

  get #isFull(): boolean {
    return this.#running >= this.#atOnce && this.#waiting >= this.#waitingAtMost
  }

  /** A place is handed over by the work that ends, so the count of those that run stays. */
  #wait(client: string): Promise<void> {
    if (this.isFullFor(client)) throw overload()
    if (this.#isFull) this.#makeRoom()
    return new Promise((begin, fail) => {
      const queue = this.#queues.get(client) ?? []
      queue.push({ begin, refuse: () => fail(overload()) })
      this.#queues.set(client, queue)
      this.#waiting++
    })
  }

  /** The newest of the longest queue goes: its client keeps its other places. */
  #makeRoom(): void {
    this.#longestQueue().pop()?.refuse()
    this.#waiting--
  }

  #longestQueue(): Waiting[] {
    let longest: Waiting[] = []
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue
    return longest
  }

  #next(): Waiting | undefined {
    for (const [client, queue] of this.#queues) {
      this.#queues.delete(client)
      const first = queue.shift()
      if (queue.length > 0) this.#queues.set(client, queue)
      if (first === undefined) continue
      this.#waiting--
      return first
    }
    return undefined
  }
}

const overload = (): QueueFull => new QueueFull('too much work is waiting')
