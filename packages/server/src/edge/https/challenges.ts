// Pending ACME challenges by host, cached until their row changes.
import type { SecureContext } from 'node:tls'
import type { ChallengeReader, PendingChallenge } from '../../core/domains/certificates/reader.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Changes } from '../../ports/changes/port.ts'
import { ReadThroughCache } from '../read-through-cache.ts'
import type { AlpnChallenges } from './alpn-challenges.ts'

const atMost = 10_000

/** Makes the certificate that answers a challenge by TLS. */
type AnswerByTls = (host: string, answer: string) => Promise<SecureContext>

export class Challenges implements AlpnChallenges {
  readonly #byTls: AnswerByTls
  /** Hosts whose challenge was pending when their row last changed. */
  readonly #open = new Set<string>()
  readonly #pending: ReadThroughCache<{ challenge: PendingChallenge | undefined }>
  readonly #unsubscribe: () => void

  constructor(read: ChallengeReader, changes: Changes, clock: Clock, byTls: AnswerByTls) {
    this.#byTls = byTls
    this.#pending = new ReadThroughCache(async host => ({ challenge: await read(host) }), clock, {
      budget: atMost,
    })
    this.#unsubscribe = changes.subscribe(change => {
      if (change.topic === 'certificate' || change.topic === 'domain') this.#pending.forget(change.key)
      if (change.topic === 'certificate') void this.#note(change.key)
      if (change.topic === 'everything') this.#pending.forgetEverything()
    })
  }

  /** The answer to a token. `undefined` if the host has no pending challenge with this token. */
  async answer(host: string, token: string): Promise<string | undefined> {
    const { challenge } = await this.#pending.find(host)
    return challenge?.token === token ? challenge.answer : undefined
  }

  get arePending(): boolean {
    return this.#open.size > 0
  }

  async contextOf(host: string): Promise<SecureContext | undefined> {
    const { challenge } = await this.#pending.find(host)
    return challenge && (await this.#byTls(host, challenge.answer))
  }

  async #note(host: string): Promise<void> {
    // If the database does not answer, the host stays as it was. The next change, or the next attempt, looks again.
    const found = await this.#pending.find(host).catch(() => undefined)
    if (found?.challenge) this.#open.add(host)
    else if (found) this.#open.delete(host)
  }

  close(): void {
    this.#unsubscribe()
  }
}
