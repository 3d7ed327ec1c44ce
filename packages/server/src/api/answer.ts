// Writes answers and errors. Only this file turns a Fault into HTTP.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorBody, errors } from '@svc/contract'
import type { Logger } from 'pino'
import { discardBodyAndClose } from '../lib/discard-body.ts'
import { Fault } from '../lib/fault.ts'
import type { Received } from '../lib/received.ts'
import { troubleOf } from '../store/faults.ts'

export interface ApiRequest extends Received {
  req: IncomingMessage
  res: ServerResponse
}

export function answerJson(res: ServerResponse, status: number, answer: unknown): void {
  if (res.writableEnded || res.destroyed) return
  // Node sends a string together with the headers in one write. A buffer would need a second write.
  const body = JSON.stringify(answer)
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  res.end(body)
}

export function answerFault(
  log: Logger,
  endpoint: string,
  { req, res, requestId }: ApiRequest,
  error: unknown,
): void {
  const about = { endpoint, request: requestId }
  const fault = error instanceof Fault ? error : unexpected(log, about, error)
  const { status } = errors[fault.code]
  if (fault.code === 'internal' && fault === error)
    log.error({ err: fault, ...about }, 'a fault of the server')
  else if (fault.code === 'unavailable' && fault.cause !== undefined)
    log.error({ err: fault.cause, ...about }, fault.message)
  else log.debug({ ...about, status, code: fault.code }, 'api refused')
  if (res.headersSent) {
    res.destroy()
    return
  }
  if (fault.retryAfter !== undefined) res.setHeader('retry-after', fault.retryAfter)
  if (status === 405) res.setHeader('allow', 'POST')
  if (status === 401) res.setHeader('www-authenticate', 'Bearer')
  if (!req.complete) discardBodyAndClose(req, res)
  const { code, message, proof } = fault
  const body: ErrorBody = { error: { code, message, request_id: requestId, ...(proof && { proof }) } }
  answerJson(res, status, body)
}

const troubles = {
  full: "The server's database has no room left. Nothing was changed; its operator has to make room first.",
  away: "The server's database does not answer. Nothing more can be said until it does; try again in a moment.",
}

function unexpected(log: Logger, about: object, error: unknown): Fault {
  log.error({ err: error, ...about }, 'an unexpected error')
  const trouble = troubleOf(error)
  if (trouble) return new Fault('unavailable', troubles[trouble], { retryAfter: 5 })
  return new Fault(
    'internal',
    'Something went wrong on the server. The operator finds the details in its log.',
  )
}
