// Limits concurrency: a number of tasks run at a time, more wait, and the rest are refused. Waiting tasks run round-robin
// by client, so that one client with many tasks does not block the others.
export class QueueFull extends Error {}

interface Waiting {
  begin(): void
  refuse(): void
}

export class FairQueue {
  readonly #atOnce: number
  readonly #waitingAtMost: number
  /** Waiting tasks by client. The first client is the next one to run a task. */
  readonly #queues = new Map<string, Waiting[]>()
  #waiting = 0
  #running = 0

  constructor(atOnce: number, waitingAtMost: number) {
    this.#atOnce = atOnce
    this.#waitingAtMost = waitingAtMost
  }

  /** Whether `run` would refuse a task of this client now. */
  isFullFor(client = ''): boolean {
    return this.#isFull && this.#longestQueue().length <= (this.#queues.get(client)?.length ?? 0) + 1
  }

  get hasWaiting(): boolean {
    return this.#waiting > 0
  }

  /** Rejects with QueueFull if too many tasks wait. The client with the longest queue is refused first. */
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

  /** A task that ends passes its slot to the next one, so `#running` does not change then. */
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

  /** Refuses the newest task of the longest queue. */
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

const overload = (): QueueFull => new QueueFull('too many tasks are waiting')
