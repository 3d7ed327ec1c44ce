// How many git programs run at once: a few in all and fewer for one account, so that slow clients of one account leave room
// for everybody else. Accounts that wait take turns.
import { FairQueue } from '../../lib/fair-queue.ts'

const inAll = 8
const perAccount = 3
const waitingAtMost = 64

interface AccountTurns {
  queue: FairQueue
  calls: number
}

export class GitTurns {
  readonly #queue = new FairQueue(inAll, waitingAtMost)
  /** The turns of each account that has a call under way or waiting. */
  readonly #accounts = new Map<string, AccountTurns>()

  /** Rejects with QueueFull if too many calls wait. */
  async run<T>(account: string, work: () => Promise<T>): Promise<T> {
    const own = this.#accounts.get(account) ?? { queue: new FairQueue(perAccount, waitingAtMost), calls: 0 }
    this.#accounts.set(account, own)
    own.calls++
    try {
      return await own.queue.run(() => this.#queue.run(work, account))
    } finally {
      if (--own.calls === 0) this.#accounts.delete(account)
    }
  }
}
