// Errors of the AI gateway, written as OpenAI writes them, so that its clients understand them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode } from '@svc/contract'
import type { Logger } from 'pino'
import { discardBodyAndClose } from '../../lib/discard-body.ts'
import { answerJson, faultOf, statusOf } from '../answer.ts'

interface Options {
  /** Seconds until the client may try again. */
  retryAfter?: number | undefined
  /** False if the same request would fail again, even if its status is one that clients retry. */
  mayRetry?: boolean
  param?: string | undefined
  cause?: unknown
}

export class GatewayError extends Error {
  readonly status: number
  readonly code: string
  readonly options: Options
  constructor(status: number, code: string, message: string, options: Options = {}) {
    super(message, { cause: options.cause })
    this.name = 'GatewayError'
    this.status = status
    this.code = code
    this.options = options
  }
}

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
}

const typeOf = (status: number): string =>
  types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')

/** OpenAI's names for our error codes, where they differ. */
const codes: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'invalid_api_key',
  quota_exceeded: 'insufficient_quota',
}

export const errorBody = ({ status, code, message, options }: GatewayError) => ({
  error: { message, type: typeOf(status), param: options.param ?? null, code },
})

export function answerError(log: Logger, req: IncomingMessage, res: ServerResponse, error: unknown): void {
  const refusal = asGatewayError(log, error)
  const { status, options } = refusal
  if (status >= 500) log.warn({ status, code: refusal.code, err: options.cause }, `ai: ${refusal.message}`)
  if (res.headersSent) return void res.destroy()
  if (options.retryAfter !== undefined) res.setHeader('retry-after', options.retryAfter)
  if (options.mayRetry === false) res.setHeader('x-should-retry', 'false')
  if (status === 401) res.setHeader('www-authenticate', 'Bearer')
  if (!req.complete) discardBodyAndClose(req, res)
  answerJson(res, status, errorBody(refusal))
}

function asGatewayError(log: Logger, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  const fault = faultOf(log, { endpoint: 'ai' }, error)
  const { code, message, retryAfter } = fault
  return new GatewayError(statusOf(fault), codes[code] ?? code, message, { retryAfter })
}
