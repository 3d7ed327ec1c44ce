// Answers a request for a file: whole, in part, or not at all because the client has it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { allowsRange, judge } from './conditions.ts'
import { readRange } from './ranges.ts'
import { type Representation, wholeHeaders } from './representation.ts'
import { noteUnchanged } from './watch.ts'

/** Where the bytes are: in memory, or to be fetched from `start` up to, not including, `end`. */
export type Content = Buffer | ((start: number, end: number) => Readable)

export type CacheState = 'HIT' | 'MISS'

/** Resolves when the last byte was handed over or the client has gone; rejects where the content failed. */
export async function respond(
  req: IncomingMessage,
  res: ServerResponse,
  of: Representation,
  content: Content,
  cache: CacheState,
): Promise<void> {
  if (of.status !== 200) return send(req, res, of.status, wholeHeaders(of, cache), content, 0, of.size)

  const verdict = judge(req.headers, of)
  if (verdict !== 'proceed') {
    noteUnchanged(res, of.html)
    res.writeHead(verdict === 'not-modified' ? 304 : 412, headersWithout(of, cache))
    res.end()
    return
  }

  const range = rangeOf(req, of)
  if (range === undefined) return send(req, res, 200, wholeHeaders(of, cache), content, 0, of.size)
  if (range === 'unsatisfiable') {
    res.writeHead(416, [
      ...headersWithout(of, cache),
      'Content-Range',
      `bytes */${of.size}`,
      'Content-Length',
      '0',
    ])
    res.end()
    return
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
  return send(req, res, 206, headers, content, range.start, range.end)
}

/** Ranges are defined for GET alone. */
function rangeOf(req: IncomingMessage, of: Representation): ReturnType<typeof readRange> {
  if (req.method !== 'GET' || req.headers.range === undefined) return undefined
  return allowsRange(req.headers['if-range'] as string | undefined, of)
    ? readRange(req.headers.range, of.size)
    : undefined
}

function headersWithout(of: Representation, cache: CacheState): string[] {
  return [...of.common, 'X-Svc-Cache', cache]
}

function send(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: string[],
  content: Content,
  start: number,
  end: number,
): Promise<void> | undefined {
  res.writeHead(status, headers)
  if (req.method === 'HEAD') return void res.end()
  if (Buffer.isBuffer(content)) return void res.end(content.subarray(start, end))
  return stream(content(start, end), res)
}

const clientLeft = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'])

/** Whoever ends first, the other is destroyed: a client that goes away frees the file at once. */
function stream(source: Readable, res: ServerResponse): Promise<void> {
  return new Promise((done, fail) => {
    pipeline(source, res, error => {
      if (error == null || clientLeft.has(error.code ?? '')) done()
      else fail(error)
    })
  })
}
