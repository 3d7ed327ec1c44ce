// Connections to apps: kept alive for a moment, watched for silence, never shared by two requests at a time.
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { AppAddress, Connect } from '../../core/apps/apps.ts'
import type { Cancellation } from './cancellation.ts'
import { ConnectionPool, type PooledOptions } from './connection-pool.ts'

/** How long an app may take, in milliseconds. */
export interface AppTimeouts {
  /** Until there is a connection. */
  connect?: number
  /** Until its answer begins, once it has the whole request. */
  answer: number
  /** Between two parts of an answer. */
  idle: number
}

export interface Outgoing {
  method: string
  path: string
  headers: string[]
  /** Undefined where the request has none. */
  body: Readable | undefined
  /** The client waits for the app's word before it sends the body. */
  expectsContinue?: boolean
  cancellation: Cancellation
  /** 1xx, other than 101. */
  onInterimResponse?(status: number, headers: IncomingMessage['headers']): void
  onUpgrade?(answer: IncomingMessage, socket: Socket, head: Buffer): void
}

/** Nobody listens there: nothing of the request was sent. */
export class AppUnreachable extends Error {}

/** The connection had been idle, and ended as the request was sent. */
export class StaleConnection extends Error {}

export class AppTimedOut extends Error {}

/** The app sends one interim answer (1xx) after the other instead of its answer. */
export class TooManyInterim extends Error {}

/** As many requests as may be are under way already. */
export class ConcurrencyLimitReached extends Error {}

/** How many requests may be under way at a time, tunnels aside: each takes a connection, of which a process has so many. */
export interface ConcurrencyLimits {
  perApp: number
  inAll: number
}

const unbounded: ConcurrencyLimits = { perApp: Number.POSITIVE_INFINITY, inAll: Number.POSITIVE_INFINITY }
const defaultConnectMs = 5_000

/** Interim answers (1xx) to one request, and their header fields. */
const interimAtMost = { count: 100, bytes: 64 * 1024 }

export class Upstream {
  readonly #timeouts: AppTimeouts
  readonly #limits: ConcurrencyLimits
  readonly #pool: ConnectionPool
  /** For tunnels, whose connections are used once. */
  readonly #single: ConnectionPool
  readonly #underWay = new Map<string, number>()
  #inAll = 0

  constructor(timeouts: AppTimeouts, limits: ConcurrencyLimits = unbounded, connect?: Connect) {
    this.#timeouts = timeouts
    this.#limits = limits
    this.#pool = new ConnectionPool({ keepAlive: true }, connect)
    this.#single = new ConnectionPool({ keepAlive: false }, connect)
  }

  /** Resolves when the answer begins, or never where `onUpgrade` is told of one. */
  send(address: AppAddress | { socketPath: string }, outgoing: Outgoing): Promise<IncomingMessage> {
    const { method, path, headers, cancellation, onUpgrade } = outgoing
    const agent = onUpgrade === undefined ? this.#pool : this.#single
    const app = 'socketPath' in address ? address.socketPath : `${address.host}:${address.port}`
    return new Promise((resolve, reject) => {
      const leave = this.#countRequest(app)
      const options: PooledOptions = { ...address, method, path, headers, agent, app }
      const out = request(options)
      out.once('close', leave)
      let answer: IncomingMessage | undefined
      let connected = false

      cancellation.whenCancelled(() => out.destroy())
      out.on('socket', socket => {
        this.#watch(socket, out, () => answer, outgoing)
        whenConnected(socket, () => {
          connected = true
          socket.setTimeout(this.#timeouts.answer)
          sendBody(out, outgoing)
        })
      })
      out.on('response', message => {
        if (message.statusCode! < 200) {
          reject(new Error(`The app answered with the status ${message.statusCode}.`))
          return void out.destroy()
        }
        answer = message
        message.socket.setTimeout(this.#timeouts.idle)
        resolve(message)
      })
      out.on('upgrade', (message, socket, head) => {
        if (onUpgrade !== undefined) return onUpgrade(message, socket, head)
        socket.destroy()
        reject(new Error('The app changed the protocol unasked.'))
      })
      const isWithinBounds = interimBounds()
      out.on('information', ({ statusCode, headers, rawHeaders }) => {
        // The parser still goes through the interim answers that came in the same packet.
        if (out.destroyed) return
        if (isWithinBounds(rawHeaders)) return outgoing.onInterimResponse?.(statusCode, headers)
        const error = new TooManyInterim('The app sent too many interim answers (1xx).')
        // At once: the answer may have come with them, and would be told next.
        reject(error)
        out.destroy(error)
      })
      out.on('error', error => {
        if (error instanceof AppTimedOut || error instanceof TooManyInterim || cancellation.isCancelled)
          reject(error)
        else if (!connected) reject(new AppUnreachable(error.message, { cause: error }))
        else if (out.reusedSocket && answer === undefined)
          reject(new StaleConnection(error.message, { cause: error }))
        else reject(error)
      })
    })
  }

  close(): void {
    this.#pool.destroy()
    this.#single.destroy()
  }

  /** Answers how to leave. */
  #countRequest(app: string): () => void {
    const here = this.#underWay.get(app) ?? 0
    if (here >= this.#limits.perApp || this.#inAll >= this.#limits.inAll)
      throw new ConcurrencyLimitReached('As many requests as may be are under way to the app.')
    this.#underWay.set(app, here + 1)
    this.#inAll++
    return () => {
      const left = this.#underWay.get(app)! - 1
      if (left === 0) this.#underWay.delete(app)
      else this.#underWay.set(app, left)
      this.#inAll--
    }
  }

  #watch(
    socket: Socket,
    out: ClientRequest,
    answer: () => IncomingMessage | undefined,
    { body }: Outgoing,
  ): void {
    const onTimeout = () => {
      if (socket.connecting) return void out.destroy(new Error('Nobody took the connection in time.'))
      // A client that sends slowly, or reads slowly, is no fault of the app's.
      const waitsForClient = answer()?.isPaused() ?? (body !== undefined && !body.readableEnded)
      if (!waitsForClient) out.destroy(new AppTimedOut('The app did not answer in time.'))
    }
    if (socket.connecting) socket.setTimeout(this.#timeouts.connect ?? defaultConnectMs)
    socket.on('timeout', onTimeout)
    out.once('close', () => socket.off('timeout', onTimeout))
  }
}

/** False from the interim answer on that is one too many. */
function interimBounds(): (rawHeaders: readonly string[]) => boolean {
  let { count, bytes } = interimAtMost
  return rawHeaders => {
    count--
    for (const text of rawHeaders) bytes -= text.length
    return count >= 0 && bytes >= 0
  }
}

function whenConnected(socket: Socket, then: () => void): void {
  if (socket.connecting) socket.once('connect', then)
  else then()
}

/**
 * Not before there is a connection, so that a request that reached nobody can be sent again, whole. Trailers of requests
 * are not passed on: an app could take them for header fields that were checked.
 */
function sendBody(out: ClientRequest, { body, headers, expectsContinue }: Outgoing): void {
  if (body === undefined) return void out.end()
  // The app may answer before the body comes; a body of known length comes at once.
  if (expectsContinue || !headers.includes('Content-Length')) out.flushHeaders()
  const pass = (chunk: Buffer) => {
    if (out.write(chunk)) return
    body.pause()
    out.once('drain', () => body.resume())
  }
  body.on('data', pass)
  body.once('end', () => out.end())
  body.once('error', () => out.destroy())
  // An app that answers without reading to the end does not hold up the visitor's connection.
  out.once('close', () => body.off('data', pass).resume())
}
