// The form of the unlock page as it comes back: small, urlencoded, from the page itself.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '../../lib/fault.ts'

const largest = 4096
const patienceMs = 10_000
const type = 'application/x-www-form-urlencoded'

export async function readForm(req: IncomingMessage, res: ServerResponse): Promise<URLSearchParams> {
  if (req.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== type)
    throw new Fault('unsupported_media_type', `The content type must be ${type}.`)
  if (Number(req.headers['content-length'] ?? 0) > largest) throw tooLarge()
  if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
  const chunks: Buffer[] = []
  let size = 0
  const late = setTimeout(() => req.destroy(), patienceMs)
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > largest) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw new Fault('invalid_request', 'The request ended before its body did.', { cause })
  } finally {
    clearTimeout(late)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

const tooLarge = (): Fault => new Fault('payload_too_large', 'The form may have at most 4 KB.')

/** Whether a page of another site sent the form: it could use up its visitors' tries that way. */
export function isForeign({ headers }: IncomingMessage, host: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  return origin !== undefined && URL.canParse(origin) && new URL(origin).hostname !== host
}
