// A certificate authority that speaks ACME (RFC 8555).
import type { Secret } from '../../lib/secret.ts'

type ChallengeType = 'http-01' | 'dns-01'

export interface Challenge {
  type: ChallengeType
  /** The name to be proved, without a wildcard's `*.`. */
  name: string
  token: string
  /** What is to be found: below the token's path, or in the TXT record. */
  answer: string
  url: string
  /** Of the authorization that it belongs to. */
  authorization: string
}

export interface AcmeAccount {
  /** Returns the order's URL, by which it can be taken up again. */
  newOrder(names: readonly string[]): Promise<string>
  /** What is still to be proved. `undefined` if the order is spent, expired or unknown. */
  challenges(order: string, type: ChallengeType): Promise<Challenge[] | undefined>
  /** Has the authority look, and waits for its verdict; throws AcmeRefusal where it is not convinced. */
  prove(challenge: Challenge): Promise<void>
  /** Returns the chain, PEM, the leaf first. */
  finish(order: string, names: readonly string[], key: Secret): Promise<string>
}

export interface Acme {
  /** Tells its accounts from those of another authority. */
  readonly directory: string
  newKey(): Promise<Secret>
  /** Throws if the authority does not answer. */
  check(): Promise<void>
  /** The account of a key, made if there is none yet. */
  account(key: Secret): Promise<AcmeAccount>
}

/** The authority said no, or nothing; in its own words. */
export class AcmeRefusal extends Error {
  /** Milliseconds that it wants to be left alone. */
  readonly retryAfter: number | undefined
  constructor(message: string, retryAfter?: number, options?: ErrorOptions) {
    super(message, options)
    this.retryAfter = retryAfter
  }
}

/** It cannot be reached, or is in trouble: whatever is asked, and an order under way stays what it is. */
export class AcmeAway extends AcmeRefusal {}
