// Writes answers and errors. Only this file turns a Fault into HTTP. Three formats show it: JSON here, plain text for git
// (git/server.ts), and the errors of OpenAI for clients of the AI gateway (ai/errors.ts).
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type ErrorBody, type ErrorCode, errors } from '@svc/contract'
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

/** Faults of other parts, which the operator has to know of. */
const loggedCauses = new Set<ErrorCode>(['unavailable', 'payment_unavailable', 'payment_failed'])

export function answerFault(
  log: Logger,
  endpoint: string,
  { req, res, requestId }: ApiRequest,
  error: unknown,
): void {
  const fault = faultOf(log, { endpoint, request: requestId }, error)
  if (res.headersSent) {
    res.destroy()
    return
  }
  const { status, headers } = headOf(fault, 'Bearer')
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value!)
  if (status === 405) res.setHeader('allow', 'POST')
  if (!req.complete) discardBodyAndClose(req, res)
  const { code, message, proof } = fault
  const body: ErrorBody = { error: { code, message, request_id: requestId, ...(proof && { proof }) } }
  answerJson(res, status, body)
}

/** The fault to answer with: the error itself if it is one. Also writes the log of the operator. */
export function faultOf(log: Logger, about: object, error: unknown): Fault {
  const fault = error instanceof Fault ? error : unexpected(log, about, error)
  if (fault.code === 'internal' && fault === error)
    log.error({ err: fault, ...about }, 'a fault of the server')
  else if (loggedCauses.has(fault.code) && fault.cause !== undefined)
    log.error({ err: fault.cause, ...about }, fault.message)
  else log.debug({ ...about, status: statusOf(fault), code: fault.code }, 'api refused')
  return fault
}

export const statusOf = ({ code }: Fault): number => errors[code].status

/** The status and the headers that tell clients what to do next. `challenge` names the way to authenticate. */
export function headOf(fault: Fault, challenge: string): { status: number; headers: OutgoingHttpHeaders } {
  const status = statusOf(fault)
  const headers: OutgoingHttpHeaders = {}
  if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter)
  if (status === 401) headers['www-authenticate'] = challenge
  return { status, headers }
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
