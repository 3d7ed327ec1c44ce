// A lease on one certificate. Every write checks that the lease is still held.
import { X509Certificate } from 'node:crypto'
import type { Secret } from '../../../lib/secret.ts'
import { deleteClaimed, updateClaimed } from '../../../store/domains/certificates.ts'
import { findDomain } from '../../../store/domains/domains.ts'
import { deleteTlsKey, saveTlsKey } from '../../../store/domains/tls-keys.ts'
import type { Tx } from '../../../store/store.ts'
import type { CertificateKind, CertificateRow } from '../../../store/tables.ts'
import type { Rows, Vault } from '../../base/platform.ts'
import { notifyOfProblem, notifyOfRecovery } from '../../notifications/notify.ts'
import { kindOf } from './kinds.ts'
import { keyIds, sealTlsKey } from './private-keys.ts'
import type { PendingChallenge } from './reader.ts'
import { endOf, nextProofCheck, nextTry, renewalOf, sharesRenewal } from './times.ts'

/** Another node has taken over, or the domain was detached. */
export class LeaseLost extends Error {}

const unclaimed = { claim: null, claimed_until: null, challenge_token: null, challenge_answer: null }

interface Write {
  to: Partial<CertificateRow>
  more?: (tx: Tx) => Promise<void>
}

/** Writes to all rows of an order, or to none. */
export async function writeTogether(
  platform: Rows,
  leases: readonly CertificateLease[],
  writeOf: (lease: CertificateLease) => Write,
): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    for (const lease of leases) {
      const { to, more } = writeOf(lease)
      if (!(await updateClaimed(tx, lease.row, to))) throw new LeaseLost(lease.row.name)
      await more?.(tx)
      await changed({ topic: 'certificate', key: lease.row.name })
    }
  })
}

export class CertificateLease {
  readonly row: CertificateRow
  readonly kind: CertificateKind
  readonly #platform: Rows & Vault

  constructor(platform: Rows & Vault, row: CertificateRow) {
    this.#platform = platform
    this.row = row
    this.kind = kindOf(row)
  }

  /** Sets the challenge that every edge answers. `null` removes it. */
  async answer(challenge: PendingChallenge | null): Promise<void> {
    const { token = null, answer = null } = challenge ?? {}
    await this.#write({ challenge_token: token, challenge_answer: answer })
  }

  /** Stores the order, so that another node can continue it after a crash. */
  ordered(url: string, key: Secret): Write {
    const sealed = sealTlsKey(this.#platform, keyIds.order(this.row.name), this.row, key)
    return { to: { order_url: url }, more: tx => saveTlsKey(tx, sealed) }
  }

  /** The order failed. The next attempt starts a new one. */
  async orderSpent(): Promise<void> {
    await this.#write({ order_url: null })
  }

  issued(chain: string, key: Secret): Write {
    const { name } = this.row
    const leaf = new X509Certificate(chain)
    const [issued_at, expires_at] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)]
    const sealed = sealTlsKey(this.#platform, keyIds.certificate(name), this.row, key)
    const life = { from: issued_at, to: expires_at }
    const now = this.#platform.clock.now()
    const to = {
      state: 'valid',
      chain,
      issued_at,
      expires_at,
      renewal_asked_at: null,
      next_at: this.#nextAfter(now, life),
      failures: 0,
      waiting_for: null,
      error: null,
      order_url: null,
      ...unclaimed,
    } as const
    const more = async (tx: Tx): Promise<void> => {
      await saveTlsKey(tx, sealed)
      await deleteTlsKey(tx, keyIds.order(name))
      await this.#notifyOwner(tx, null)
    }
    return { to, more }
  }

  #nextAfter(now: number, life: { from: number; to: number }): number {
    if (this.kind === 'demand') return endOf(now, life)
    return renewalOf(sharesRenewal(this.kind) ? '' : this.row.name, now, life)
  }

  /** Schedules the next check at `until`, or later the longer the certificate has been waiting. */
  async wait(why: string, until?: number): Promise<void> {
    const now = this.#platform.clock.now()
    const next_at = until ?? nextProofCheck(now, this.row.created_at)
    await this.#write({ state: 'pending', waiting_for: why, next_at, ...unclaimed })
  }

  /** Keeps the order if it can be continued. */
  async failed(words: string, retryAfter: number | undefined, keepsOrder: boolean): Promise<void> {
    const failures = this.row.failures + 1
    const next_at = nextTry(this.#platform.clock.now(), failures, retryAfter)
    const to = {
      state: 'failed',
      error: words,
      waiting_for: null,
      failures,
      next_at,
      ...(keepsOrder ? {} : { order_url: null }),
    } as const
    await this.#write({ ...to, ...unclaimed }, async tx => await this.#notifyOwner(tx, words))
  }

  /** Gives the name back, because another name of the same order failed. */
  async release(): Promise<void> {
    const next_at = this.#platform.clock.now()
    await this.#write({ state: 'pending', next_at, order_url: null, ...unclaimed })
  }

  /** Deletes a certificate that nobody needs any more, with its keys. Does nothing if the lease is lost. */
  async drop(): Promise<void> {
    const { name } = this.row
    await this.#platform.store.transact(async (tx, changed) => {
      if (!(await deleteClaimed(tx, this.row))) return
      await deleteTlsKey(tx, keyIds.certificate(name))
      await deleteTlsKey(tx, keyIds.order(name))
      await changed({ topic: 'certificate', key: name })
    })
  }

  /** Extends the lease. */
  async extend(until: number): Promise<void> {
    await updateClaimed(this.#platform.store.db, this.row, { claimed_until: until })
  }

  /** Tells the owner of the domain of a failure, or with `null` that it is over. */
  async #notifyOwner(tx: Tx, error: string | null): Promise<void> {
    const { name, domain } = this.row
    const owner = domain === null ? undefined : await findDomain(tx, domain)
    if (!owner) return
    const now = this.#platform.clock.now()
    const about = {
      event: 'certificate.failed',
      projectId: owner.project_id,
      subject: name,
      page: '/domains',
    } as const
    if (error === null)
      await notifyOfRecovery(tx, now, { ...about, words: `the certificate of ${name} was issued.` })
    else
      await notifyOfProblem(tx, now, {
        ...about,
        words: `the certificate of ${name} could not be issued.`,
        error,
      })
  }

  async #write(to: Partial<CertificateRow>, more?: (tx: Tx) => Promise<void>): Promise<void> {
    await writeTogether(this.#platform, [this], () => (more ? { to, more } : { to }))
  }
}
