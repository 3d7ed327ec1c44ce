// Sends an answer that was kept: whole, in part, or not at all because the visitor has it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { allowsRange, judge } from '../conditions.ts'
import { beginAnswer } from '../proxy/deliver.ts'
import { readRange } from '../ranges.ts'
import type { CachedAnswer } from './cached-answer.ts'

/** What became of a request at the cache, as `X-Svc-Cache` says it. */
export type CacheState = 'HIT' | 'MISS' | 'STALE' | 'REVALIDATED' | 'EXPIRED' | 'BYPASS'

export function sendCached(
  req: IncomingMessage,
  res: ServerResponse,
  cached: CachedAnswer,
  state: CacheState,
) {
  const { status, message, body } = cached.answered
  const headers = [
    ...withoutMeasures(cached.answered.headers),
    'Age',
    String(cached.age),
    'X-Svc-Cache',
    state,
  ]
  const send = (statusCode: number, content: Buffer, more: string[] = []) => {
    const length = ['Content-Length', String(content.length)]
    const statusMessage = statusCode === status ? message : undefined
    beginAnswer(res, { statusCode, statusMessage } as IncomingMessage, [...headers, ...length, ...more])
    res.end(req.method === 'HEAD' ? undefined : content)
  }
  if (status === 204) return void res.writeHead(204, headers).end()
  if (status !== 200) return send(status, body)

  const validators = validatorsOf(cached)
  const verdict = judge(req.headers, validators)
  if (verdict === 'not-modified') return void res.writeHead(304, withoutContent(headers)).end()
  if (verdict === 'precondition-failed') return send(412, Buffer.alloc(0))

  const range = rangeOf(req, validators, body.length)
  if (range === undefined) return send(200, body)
  if (range === 'unsatisfiable')
    return send(416, Buffer.alloc(0), ['Content-Range', `bytes */${body.length}`])
  const where = `bytes ${range.start}-${range.end - 1}/${body.length}`
  send(206, body.subarray(range.start, range.end), ['Content-Range', where])
}

interface CachedValidators {
  /** Without the mark of a weak one. */
  etag: string
  isStrong: boolean
  /** Not a number where the app did not say: it then compares with nothing. */
  modified: number
}

function validatorsOf(cached: CachedAnswer): CachedValidators {
  const etag = cached.header('etag') ?? ''
  return {
    etag: etag.replace(/^W\//, ''),
    isStrong: etag.startsWith('"'),
    modified: Date.parse(cached.header('last-modified') ?? ''),
  }
}

function rangeOf(req: IncomingMessage, validators: CachedValidators, size: number) {
  if (req.method !== 'GET' || req.headers.range === undefined) return undefined
  const exact = validators.isStrong ? validators : { ...validators, etag: '' }
  return allowsRange(req.headers['if-range'] as string | undefined, exact)
    ? readRange(req.headers.range, size)
    : undefined
}

/** They are said anew. */
const withoutMeasures = (headers: readonly string[]): string[] =>
  without(headers, /^(?:content-length|age)$/i)
const withoutContent = (headers: readonly string[]): string[] =>
  without(headers, /^content-(?:type|encoding|language|range)$/i)

function without(headers: readonly string[], names: RegExp): string[] {
  return headers.filter((_, i) => !names.test(headers[i - (i % 2)]!))
}
