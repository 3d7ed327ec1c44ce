// Reads a small request body into memory, with limits on size and time.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from './fault.ts'

interface BodyBounds {
  bytes: number
  /** The connection is closed if the body takes longer. */
  timeoutMs: number
  /** The error message for a body that is too large. */
  tooLarge: string
}

export async function readSmallBody(
  req: IncomingMessage,
  res: ServerResponse,
  { bytes, timeoutMs, tooLarge }: BodyBounds,
): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > bytes) throw new Fault('payload_too_large', tooLarge)
  goAhead(req, res)
  const chunks: Buffer[] = []
  let size = 0
  const late = setTimeout(() => req.destroy(), timeoutMs)
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bytes) throw new Fault('payload_too_large', tooLarge)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw new Fault('invalid_request', 'The request ended before its body did.', { cause })
  } finally {
    clearTimeout(late)
  }
  return Buffer.concat(chunks)
}

/** Sends `100 Continue` to a client that waits for it before it sends the body. */
export function goAhead(req: IncomingMessage, res: ServerResponse): IncomingMessage {
  if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
  return req
}
