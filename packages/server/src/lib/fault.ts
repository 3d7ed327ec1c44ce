// The class of all expected errors: an error code of the contract, a message for the user, and the cause for the log.
import type { ErrorBody, ErrorCode } from '@svc/contract'

type DnsRecord = NonNullable<ErrorBody['error']['proof']>

interface Options {
  cause?: unknown
  retryAfter?: number
  proof?: DnsRecord
}

export class Fault extends Error {
  readonly code: ErrorCode
  /** Seconds after which the caller may retry. */
  readonly retryAfter: number | undefined
  /** The DNS record that proves that the caller owns a domain. */
  readonly proof: DnsRecord | undefined

  constructor(code: ErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.retryAfter = options.retryAfter
    this.proof = options.proof
  }
}
