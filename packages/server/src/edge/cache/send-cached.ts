// Sends a cache entry: the whole answer, a range of it (206), or a 304 if the client's copy is current.
import type { IncomingMessage } from 'node:http'
import type { Coding } from '../../core/deployments/archive/variants.ts'
import { allowsRange, evaluateConditions } from '../../lib/conditions.ts'
import { readHttpDate } from '../../lib/http-date.ts'
import { headersWithout } from '../../lib/raw-headers.ts'
import { beginAppAnswer, codingFor } from '../compression/app-answers.ts'
import { compressedHeaders, withVary } from '../compression/compressible-answers.ts'
import type { Exchange } from '../exchange.ts'
import { beginAnswer } from '../proxy/deliver.ts'
import { readRange } from '../ranges.ts'
import type { CachedAnswer } from './cached-answer.ts'

/** The value of the `X-Svc-Cache` header. */
export type CacheState = 'HIT' | 'MISS' | 'STALE' | 'REVALIDATED' | 'EXPIRED' | 'BYPASS'

export function sendCached(exchange: Exchange, cached: CachedAnswer, state: CacheState): void {
  const { req } = exchange
  const { status, message, body, headers: stored } = cached.answered
  const { coding, varies } = codingFor(exchange, status, stored)
  const measures = ['Age', String(cached.age), 'X-Svc-Cache', state]
  const headers = [...withoutMeasures(varies ? withVary(stored) : stored), ...measures]
  const send = (statusCode: number, content: Buffer, more: string[] = []) => {
    const length = ['Content-Length', String(content.length)]
    const statusMessage = statusCode === status ? message : undefined
    beginAnswer(exchange, { statusCode, statusMessage }, [...headers, ...length, ...more])
    exchange.end(req.method === 'HEAD' ? undefined : content)
  }
  const sendWhole = () => {
    if (coding === undefined) send(status, body)
    else void sendCompressed(exchange, cached, coding, headers)
  }
  if (status === 204) return void exchange.answer(204, headers)
  if (status !== 200 || !conditions.some(name => req.headers[name] !== undefined)) return void sendWhole()

  const validators = validatorsOf(cached)
  // If the app sent no Last-Modified, If-Modified-Since is compared with the Date of the answer (RFC 9111, 4.3.2).
  const modified = validators.modified ?? readHttpDate(cached.header('date')) ?? Number.NaN
  const verdict = evaluateConditions(req.headers, { ...validators, modified })
  if (verdict === 'not-modified') {
    const unchanged = coding === undefined ? headers : compressedHeaders(headers, coding)
    return void exchange.answer(304, withoutContent(unchanged))
  }

  const range = rangeOf(req, validators, body.length)
  if (range === undefined) return void sendWhole()
  if (range === 'unsatisfiable')
    return void send(416, Buffer.alloc(0), ['Content-Range', `bytes */${body.length}`])
  const where = `bytes ${range.start}-${range.end - 1}/${body.length}`
  send(206, body.subarray(range.start, range.end), ['Content-Range', where])
}

/** `headers` are those of the entry as it is. */
async function sendCompressed(
  exchange: Exchange,
  { answered, forms }: CachedAnswer,
  coding: Coding,
  headers: string[],
): Promise<void> {
  const { status: statusCode, message: statusMessage, body } = answered
  const head = { statusCode, statusMessage }
  if (exchange.method === 'HEAD' || !forms.isOffered) {
    const streamed = beginAppAnswer(exchange, head, headers)
    if (exchange.method !== 'HEAD') streamed.write(body)
    return streamed.end()
  }
  const made = forms.get(coding)
  const form = made instanceof Promise ? await made : made
  if (exchange.isClosed) return
  const content = form ?? body
  const length = ['Content-Length', String(content.length)]
  beginAnswer(exchange, head, [...(form ? compressedHeaders(headers, coding) : headers), ...length])
  exchange.end(content)
}

const conditions = ['if-none-match', 'if-modified-since', 'range']

interface CachedValidators {
  /** Without the `W/` of a weak tag. Empty if the app sent no ETag. */
  etag: string
  isStrong: boolean
  /** In milliseconds since 1970. `undefined` if the app sent no valid Last-Modified. */
  modified: number | undefined
}

function validatorsOf(cached: CachedAnswer): CachedValidators {
  const etag = cached.header('etag') ?? ''
  return {
    etag: etag.replace(/^W\//, ''),
    isStrong: etag.startsWith('"'),
    modified: readHttpDate(cached.header('last-modified')),
  }
}

function rangeOf(req: IncomingMessage, validators: CachedValidators, size: number) {
  if (req.method !== 'GET' || req.headers.range === undefined) return undefined
  const exact = {
    etag: validators.isStrong ? validators.etag : '',
    modified: validators.modified ?? Number.NaN,
  }
  return allowsRange(req.headers['if-range'] as string | undefined, exact)
    ? readRange(req.headers.range, size)
    : undefined
}

/** Removes Content-Length and Age, because `sendCached` computes them anew. */
const withoutMeasures = (headers: readonly string[]): string[] =>
  headersWithout(headers, name => name === 'content-length' || name === 'age')
const withoutContent = (headers: readonly string[]): string[] =>
  headersWithout(headers, name => /^content-(?:type|encoding|language|range)$/.test(name))
