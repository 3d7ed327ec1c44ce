// Passes a provider's answer on as it comes, no faster than the client takes it, and reads the token counts in it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { readUsage, type TokenCounts } from '../../core/ai/token-counts.ts'
import type { AiUpstream } from '../../core/ai/upstreams.ts'
import { JsonScan } from '../../lib/json-scan.ts'
import { errorBody, GatewayError } from './errors.ts'
import { EventStream, usagePaths } from './event-stream.ts'
import { clientHeaders } from './headers.ts'
import { tooLate } from './provider.ts'
import { StreamRedactor } from './redact.ts'

export interface Delivered {
  counts: TokenCounts | undefined
  /** The number of events that were sent, if the answer was streamed. */
  events: number
  /** False if the client or the provider closed the connection before the end. */
  isWhole: boolean
}

interface Delivery {
  silenceMs: number
  /** Whether to leave out the event that only brings token counts. */
  leavesOutUsage: boolean
  upstream: AiUpstream
  /** Aborted when the client disconnects or the time is up. */
  signal: AbortSignal
  /** Aborted when the time is up. A JSON answer is read to its end without the client, since it says what it cost. */
  deadline: AbortSignal
}

/** Reads an answer while it passes through the gateway. */
interface Watch {
  push(chunk: Buffer): Buffer
  end(): Buffer
  readonly counts: TokenCounts | undefined
  readonly events: number
  readonly isInsideEvent?: boolean
}

export function deliver(
  answer: IncomingMessage,
  res: ServerResponse,
  { silenceMs, leavesOutUsage, upstream, signal, deadline }: Delivery,
): Promise<Delivered> {
  const type = (answer.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  const isStream = type === 'text/event-stream'
  const watch: Watch = isStream
    ? new EventStream(leavesOutUsage)
    : isJson(type)
      ? new JsonWatch()
      : new NoWatch()
  const redactor = new StreamRedactor(upstream)
  const source = decoded(answer)
  begin(answer, res, isStream, source !== answer || (isStream && leavesOutUsage))
  return new Promise(resolve => {
    let isOver = false
    let silence: NodeJS.Timeout | undefined
    const awaitMore = () => {
      silence = setTimeout(() => fail(tooLate()), silenceMs)
    }
    const over = (isWhole: boolean) => {
      isOver = true
      clearTimeout(silence)
      signal.removeEventListener('abort', leave)
      deadline.removeEventListener('abort', leave)
      if (!isWhole) answer.destroy()
      resolve({ counts: watch.counts, events: watch.events, isWhole })
    }
    const fail = (error: GatewayError | undefined) => {
      if (isOver) return
      over(false)
      breakOff(res, isStream && watch.isInsideEvent !== true ? error : undefined)
    }
    let isAlone = false
    const leave = () => {
      isAlone = watch instanceof JsonWatch && !deadline.aborted
      if (!isAlone) return fail(deadline.reason instanceof GatewayError ? deadline.reason : undefined)
      clearTimeout(silence) // It does not run while the client is slow.
      awaitMore()
      source.resume()
    }
    signal.addEventListener('abort', leave, { once: true })
    deadline.addEventListener('abort', leave, { once: true })
    source.on('data', (chunk: Buffer) => {
      if (isOver) return
      silence!.refresh()
      const passed = redactor.push(watch.push(chunk))
      if (isAlone || passed.length === 0 || res.write(passed)) return
      source.pause()
      clearTimeout(silence) // The client is slow, not the provider.
      res.once('drain', () => {
        if (isOver || isAlone) return
        awaitMore()
        source.resume()
      })
    })
    source.once('end', () => {
      if (isOver) return
      const rest = Buffer.concat([redactor.push(watch.end()), redactor.end()])
      over(true)
      if (isAlone) return
      res.end(rest.length === 0 ? undefined : rest)
    })
    source.on('error', () => fail(diedMidway()))
    answer.on('error', () => fail(diedMidway()))
    answer.once('close', () => {
      if (!answer.complete) fail(diedMidway())
    })
    awaitMore()
    if (signal.aborted || deadline.aborted) leave()
  })
}

function begin(answer: IncomingMessage, res: ServerResponse, isStream: boolean, isChanged: boolean): void {
  const headers = clientHeaders(answer.headers)
  const length = answer.headers['content-length']
  if (length !== undefined && !isChanged) headers['content-length'] = length
  // This header tells reverse proxies in front of the gateway not to buffer the events.
  if (isStream) headers['x-accel-buffering'] = 'no'
  res.writeHead(answer.statusCode!, headers)
  if (isStream) res.flushHeaders()
}

/**
 * Ends an answer that broke off after its status was sent, so that it does not look complete. OpenAI's clients read the
 * error event.
 */
function breakOff(res: ServerResponse, error: GatewayError | undefined): void {
  if (error === undefined) return void res.destroy()
  res.write(`data: ${JSON.stringify(errorBody(error))}\n\n`, () => res.destroy())
}

const diedMidway = (): GatewayError =>
  new GatewayError(502, 'upstream_disconnected', 'The AI provider broke off in the middle of its answer.')

/** Decompresses the answer. The gateway asks for no compression, but some providers compress anyway. */
function decoded(answer: IncomingMessage): Readable {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'br'
        ? createBrotliDecompress()
        : encoding === 'deflate'
          ? createInflate()
          : undefined
  return decoder === undefined ? answer : answer.pipe(decoder)
}

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json')

class JsonWatch implements Watch {
  readonly #scan = new JsonScan(usagePaths)
  readonly events = 0

  push(chunk: Buffer): Buffer {
    this.#scan.push(chunk)
    return chunk
  }

  end(): Buffer {
    return nothing
  }

  get counts(): TokenCounts | undefined {
    let counts: TokenCounts | undefined
    for (const path of usagePaths) counts = readUsage(this.#scan.read(path), counts)
    return counts
  }
}

/** For sounds, images and text, which contain no token counts. */
class NoWatch implements Watch {
  readonly counts = undefined
  readonly events = 0
  push = (chunk: Buffer): Buffer => chunk
  end = (): Buffer => nothing
}

const nothing = Buffer.alloc(0)
