// The request bodies that clients of git are sending. They are written to disk, so a slow client keeps no git program waiting.
// Their number is limited, and the slowest client makes room when others wait.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Fault } from '../../lib/fault.ts'
import { Pace } from '../../lib/pace.ts'
import { goAhead } from '../../lib/small-body.ts'

const inAll = 64
const perAccount = 8
const slowBytesPerSecond = 4 * 1024
const paceWindowMs = 5_000
/** A body that brings nothing for this long is given up. */
const idleMs = 60_000

interface Sending {
  account: string
  pace: Pace
  end(why: Fault): void
}

interface Client {
  account: string
  req: IncomingMessage
  res: ServerResponse
}

export class RequestBodies {
  readonly #sending = new Set<Sending>()

  /** Passes the body on, decompressed: git compresses large requests. */
  async read<T>(
    { account, req, res }: Client,
    keep: (body: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T> {
    this.#makeRoom(account)
    const body = new PassThrough()
    // A client may leave before the body is read, or after enough of it was. A later reader finds the error.
    body.on('error', () => undefined)
    const sending = { account, pace: new Pace(paceWindowMs), end: (why: Fault) => body.destroy(why) }
    this.#sending.add(sending)
    const idle = setTimeout(() => sending.end(tooSlow()), idleMs)
    req.on('data', (chunk: Buffer) => {
      sending.pace.moved(chunk.length)
      idle.refresh()
    })
    try {
      connect(req, body)
      goAhead(req, res)
      return await keep(body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
    } finally {
      clearTimeout(idle)
      this.#sending.delete(sending)
    }
  }

  #makeRoom(account: string): void {
    const own = [...this.#sending].filter(sending => sending.account === account)
    const rivals = own.length >= perAccount ? own : this.#sending.size >= inAll ? [...this.#sending] : []
    if (rivals.length === 0) return
    const paceOf = ({ pace }: Sending) => pace.rate ?? Number.POSITIVE_INFINITY
    const slowest = rivals.reduce((a, b) => (paceOf(b) < paceOf(a) ? b : a))
    if (paceOf(slowest) >= slowBytesPerSecond)
      throw new Fault('unavailable', 'Too many git clients at once. Try again in a minute.', {
        retryAfter: 30,
      })
    this.#sending.delete(slowest)
    slowest.end(tooSlow())
  }
}

/** Not `pipeline`: it would destroy the request with the body, and the client would get no answer. */
function connect(req: IncomingMessage, body: PassThrough): void {
  const isPacked = /^(x-)?gzip$/i.test(req.headers['content-encoding'] ?? '')
  const unpacked = isPacked ? req.pipe(createGunzip()) : req
  unpacked.pipe(body)
  const broken = () => body.destroy(new Fault('invalid_request', 'The request ended before its body did.'))
  for (const stream of new Set([req, unpacked])) stream.once('error', broken)
  req.once('close', () => {
    if (!req.complete) broken()
  })
}

const tooSlow = () =>
  new Fault('unavailable', 'The request body came too slowly. Try again with a faster connection.', {
    retryAfter: 30,
  })
