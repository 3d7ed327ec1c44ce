// Answers a request for a file with the whole file, with a range of it (206), or with 304 if the client has this version.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { allowsRange, evaluateConditions } from '../lib/conditions.ts'
import type { Exchange } from './exchange.ts'
import { readRange } from './ranges.ts'
import { contentlessHeaders, type Representation, wholeHeaders } from './representation.ts'

/** The bytes of the file, or a function that streams the bytes from `start` up to, but not including, `end`. */
type Content = Buffer | ((start: number, end: number) => Readable)

type CacheState = 'HIT' | 'MISS'

/** Sends the answer. Resolves when it is complete or the client has gone away. Rejects if the content cannot be read. */
export async function respond(
  exchange: Exchange,
  of: Representation,
  content: Content,
  cache: CacheState,
): Promise<void> {
  const { req } = exchange
  if (of.status !== 200) return send(exchange, of.status, wholeHeaders(of, cache), content, 0, of.size)

  const verdict = evaluateConditions(req.headers, of)
  if (verdict !== 'proceed') {
    exchange.isUnchangedPage = of.html
    return exchange.answer(verdict === 'not-modified' ? 304 : 412, contentlessHeaders(of, cache))
  }

  const range = rangeOf(req, of)
  if (range === undefined) return send(exchange, 200, wholeHeaders(of, cache), content, 0, of.size)
  if (range === 'unsatisfiable') {
    const range = ['Content-Range', `bytes */${of.size}`, 'Content-Length', '0']
    return exchange.answer(416, [...contentlessHeaders(of, cache), ...range])
  }
  const headers = [
    ...of.content,
    'Content-Length',
    String(range.end - range.start),
    'Content-Range',
    `bytes ${range.start}-${range.end - 1}/${of.size}`,
    ...of.common,
    'X-Svc-Cache',
    cache,
  ]
  return send(exchange, 206, headers, content, range.start, range.end)
}

/** Returns the range to send, or `undefined` for the whole file. HTTP defines ranges for GET only. */
function rangeOf(req: IncomingMessage, of: Representation): ReturnType<typeof readRange> {
  if (req.method !== 'GET' || req.headers.range === undefined) return undefined
  return allowsRange(req.headers['if-range'] as string | undefined, of)
    ? readRange(req.headers.range, of.size)
    : undefined
}

function send(
  exchange: Exchange,
  status: number,
  headers: string[],
  content: Content,
  start: number,
  end: number,
): Promise<void> | undefined {
  exchange.begin(status, headers)
  if (exchange.method === 'HEAD') return void exchange.end()
  if (Buffer.isBuffer(content)) return void exchange.end(content.subarray(start, end))
  return exchange.sendStream(content(start, end))
}
