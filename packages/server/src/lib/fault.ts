// The one class of expected errors: a code of the contract, words for the caller, and the cause for the log.
import type { ErrorCode } from '@svc/contract'

export class Fault extends Error {
  readonly code: ErrorCode
  /** Seconds after which a refused caller may try again. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryAfter?: number } = {}) {
    super(message, { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.retryAfter = options.retryAfter
  }
}
