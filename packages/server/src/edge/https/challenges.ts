// Pending ACME challenges by host, cached until their row changes.
import type { ChallengeReader, PendingChallenge } from '../../core/domains/certificates/reader.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Changes } from '../../ports/changes/port.ts'
import { ReadThroughCache } from '../read-through-cache.ts'

const atMost = 10_000

export class Challenges {
  readonly #pending: ReadThroughCache<{ challenge: PendingChallenge | undefined }>
  readonly #unsubscribe: () => void

  constructor(read: ChallengeReader, changes: Changes, clock: Clock) {
    this.#pending = new ReadThroughCache(async host => ({ challenge: await read(host) }), clock, {
      budget: atMost,
    })
    this.#unsubscribe = changes.subscribe(change => {
      if (change.topic === 'certificate' || change.topic === 'domain') this.#pending.forget(change.key)
      else if (change.topic === 'everything') this.#pending.forgetEverything()
    })
  }

  /** The answer to a token. `undefined` if the host has no pending challenge with this token. */
  async answer(host: string, token: string): Promise<string | undefined> {
    const { challenge } = await this.#pending.find(host)
    return challenge?.token === token ? challenge.answer : undefined
  }

  close(): void {
    this.#unsubscribe()
  }
}
