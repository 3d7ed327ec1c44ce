// The one class of expected errors: a code of the contract, words for the caller, and the cause for the log.
import type { ErrorBody, ErrorCode } from '@svc/contract'

type DnsRecord = NonNullable<ErrorBody['error']['proof']>

interface Options {
  cause?: unknown
  retryAfter?: number
  proof?: DnsRecord
}

export class Fault extends Error {
  readonly code: ErrorCode
  /** Seconds after which a refused caller may try again. */
  readonly retryAfter: number | undefined
  /** The DNS record that would prove that a domain is the caller's. */
  readonly proof: DnsRecord | undefined

  constructor(code: ErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.retryAfter = options.retryAfter
    this.proof = options.proof
  }
}
