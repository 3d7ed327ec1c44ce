// A certificate authority with the ACME protocol (RFC 8555).
import type { Secret } from '../../lib/secret.ts'

type ChallengeType = 'http-01' | 'dns-01' | 'tls-alpn-01'

export interface Challenge {
  type: ChallengeType
  /** The domain name to validate, without the `*.` of a wildcard. */
  name: string
  token: string
  /** The text that the authority expects at the token's path, or in the TXT record. */
  answer: string
  url: string
  /** The URL of the authorization that the challenge belongs to. */
  authorization: string
}

export interface AcmeAccount {
  /** Returns the URL of the order, with which the order can be continued later. `replaced` is the chain that is renewed. */
  newOrder(names: readonly string[], replaced?: string | null): Promise<string>
  /** The challenges that are not validated yet. `undefined` if the order is used, expired or unknown. */
  challenges(order: string, type: ChallengeType): Promise<Challenge[] | undefined>
  /** Asks the authority to validate the challenge and waits for the result. Throws AcmeRefusal if it is not valid. */
  prove(challenge: Challenge): Promise<void>
  /** Returns the certificate chain as PEM, with the leaf first. */
  finish(order: string, key: Secret): Promise<string>
}

/** When a certificate is to be renewed. */
export interface RenewalWindow {
  start: number
  end: number
}

export interface Acme {
  /** The URL of the directory. It identifies the authority to which an account belongs. */
  readonly directory: string
  newKey(): Promise<Secret>
  /** Throws if the authority does not answer. */
  check(): Promise<void>
  /** When the authority wants a certificate to be renewed. `undefined` if it says nothing about that. */
  renewal(chain: string): Promise<RenewalWindow | undefined>
  /** The account of a key. Creates the account if there is none. */
  account(key: Secret): Promise<AcmeAccount>
}

/** The authority refused, or did not answer. The message is the authority's own, if it sent one. */
export class AcmeRefusal extends Error {
  /** How long to wait before the next request, in milliseconds. */
  readonly retryAfter: number | undefined
  constructor(message: string, retryAfter?: number, options?: ErrorOptions) {
    super(message, options)
    this.retryAfter = retryAfter
  }
}

/** The authority cannot be reached or fails for every request. An open order stays valid. */
export class AcmeAway extends AcmeRefusal {}
