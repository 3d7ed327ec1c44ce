// Reads the bodies of requests, up to a limit on their size and on the time they take.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { limits } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { Fault } from '../lib/fault.ts'
import { readSmallBody } from '../lib/small-body.ts'

/** Even a slow connection sends a megabyte in this time. */
const bounds = {
  bytes: limits.jsonBodyBytes,
  timeoutMs: 60_000,
  tooLarge: 'A JSON body may have at most 1 MB.',
}

/** Reads a JSON body. No body counts as an empty object, and the endpoint's schema then says what is missing. */
export async function readJson(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  const body = await readSmallBody(req, res, bounds)
  if (body.length === 0) return {}
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new Fault('invalid_request', 'The body is not JSON.', { cause })
  }
}

export function requireType(req: IncomingMessage, types: readonly string[]): void {
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (!types.includes(type))
    throw new Fault('unsupported_media_type', `The content type must be ${types.join(' or ')}.`)
}

/** Services that call webhooks wait about this long for the answer. */
const rawTimeoutMs = 10_000

/** Reads a whole body that is not JSON, or whose signature covers its bytes. */
export async function readRaw(stream: Readable, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const late = setTimeout(() => stream.destroy(), rawTimeoutMs)
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bytes)
        throw new Fault('payload_too_large', `The body may have at most ${formatBytes(bytes)}.`)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw new Fault('invalid_request', 'The request ended before its body did, or took too long.', { cause })
  } finally {
    clearTimeout(late)
  }
  return Buffer.concat(chunks)
}
