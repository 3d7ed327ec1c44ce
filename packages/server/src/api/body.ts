// Bodies: JSON read whole within its limit, everything else by its declared type.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '@svc/contract'
import { Fault } from '../lib/fault.ts'

/** A megabyte takes less over any line that is not stuck. */
const patienceMs = 60_000

const tooLarge = (): Fault => new Fault('payload_too_large', 'A JSON body may have at most 1 MB.')

/** No body at all counts as an empty object; the endpoint's schema then says what is missing. */
export async function readJson(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  if (Number(req.headers['content-length'] ?? 0) > limits.jsonBodyBytes) throw tooLarge()
  goAhead(req, res)
  const chunks: Buffer[] = []
  let size = 0
  const late = setTimeout(() => req.destroy(), patienceMs)
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limits.jsonBodyBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault('invalid_request', 'The request ended before its body did.', { cause: error })
  } finally {
    clearTimeout(late)
  }
  if (size === 0) return {}
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch (cause) {
    throw new Fault('invalid_request', 'The body is not JSON.', { cause })
  }
}

/** A client that asked first (`Expect: 100-continue`) is told to send only now, when its body is wanted. */
export function goAhead(req: IncomingMessage, res: ServerResponse): IncomingMessage {
  if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
  return req
}

export function requireType(req: IncomingMessage, types: readonly string[]): void {
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (!types.includes(type))
    throw new Fault('unsupported_media_type', `The content type must be ${types.join(' or ')}.`)
}
