// Sends requests to apps, with timeouts and concurrency limits.
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { AppAddress, Connect } from '../../core/base/apps.ts'
import { valueIn } from '../../lib/raw-headers.ts'
import type { BegunRequest } from './begun-request.ts'
import type { Cancellation } from './cancellation.ts'
import { ConnectionPool, type PooledOptions } from './connection-pool.ts'
import { LentConnection } from './lent-connection.ts'
import type { AppTimeouts } from './timeouts.ts'

export interface Outgoing {
  method: string
  path: string
  headers: string[]
  /** `undefined` if the request has no body. */
  body: Readable | undefined
  /** Whether the client waits for a 100 before it sends the body (`Expect: 100-continue`). */
  expectsContinue?: boolean
  cancellation: Cancellation
  /** Whether it needs a new connection, because a reused one has failed. The other idle ones may be as old. */
  onNewConnection?: boolean
  /** Called for 1xx responses other than 101. */
  onInterimResponse?(status: number, headers: IncomingMessage['headers']): void
  /** Called when the app accepts the upgrade (101). Set only for upgrade requests. */
  onUpgrade?(answer: IncomingMessage, socket: Socket, head: Buffer): void
}

/** The connection to the app was not established, so no byte of the request was sent. */
export class AppUnreachable extends Error {}

/** A reused connection failed before the answer began. Most likely the app closed it while it was idle. */
export class StaleConnection extends Error {}

export class AppTimedOut extends Error {}

/** The app sent too many interim responses (1xx) before its answer. */
export class TooManyInterim extends Error {}

export class ConcurrencyLimitReached extends Error {}

/** How many requests may be under way at the same time. Tunnels no longer count once they are open. */
export interface ConcurrencyLimits {
  perApp: number
  inAll: number
}

/** A name is looked up several times for each request. A string that was made once is looked up faster. */
const names = new WeakMap<AppAddress, string>()

function nameOf(address: AppAddress): string {
  const known = names.get(address)
  if (known !== undefined) return known
  const name = `${address.host}:${address.port}${address.node ? `@${address.node}` : ''}`
  names.set(address, name)
  return name
}

const unbounded: ConcurrencyLimits = { perApp: Number.POSITIVE_INFINITY, inAll: Number.POSITIVE_INFINITY }
const defaultConnectMs = 5_000

/** The largest number and total size of interim responses (1xx) to one request. */
const interimAtMost = { count: 100, bytes: 64 * 1024 }

export class Upstream {
  readonly #timeouts: AppTimeouts
  readonly #limits: ConcurrencyLimits
  readonly #pool: ConnectionPool
  /** The pool for tunnels, whose connections are not reused. */
  readonly #single: ConnectionPool
  readonly #underWay = new Map<string, number>()
  #inAll = 0

  constructor(timeouts: AppTimeouts, limits: ConcurrencyLimits = unbounded, connect?: Connect) {
    this.#timeouts = timeouts
    this.#limits = limits
    this.#pool = new ConnectionPool({ keepAlive: true, reuseMs: timeouts.reuse }, connect)
    this.#single = new ConnectionPool({ keepAlive: false }, connect)
  }

  /**
   * Sends the request and resolves when the answer begins. Never resolves if `onUpgrade` is called. If a lane has already
   * sent the request (`begun`), only reads the answer.
   */
  send(
    address: AppAddress | { socketPath: string },
    outgoing: Outgoing,
    begun?: BegunRequest,
  ): Promise<IncomingMessage> {
    const { method, path, headers, cancellation, onUpgrade, onNewConnection = false } = outgoing
    const agent = onUpgrade === undefined ? this.#pool : this.#single
    const app = 'socketPath' in address ? address.socketPath : nameOf(address)
    return new Promise((resolve, reject) => {
      if (begun?.failure) throw begun.failure
      // The app already has a request that was begun, so the limits cannot keep it from the app.
      if (begun === undefined && this.#isFull(app))
        throw new ConcurrencyLimitReached('Too many requests to the app are under way.')
      const answered = begun?.takeAnswer()
      const options: PooledOptions = {
        ...address,
        method,
        path,
        headers,
        agent,
        app,
        answered,
        onNewConnection,
      }
      const out = request(options)
      // Only from here on: node:http throws if it does not accept the headers.
      this.#enter(app)
      out.once('close', () => this.#leave(app))
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
        // An app that has answered need not read the rest of the body. Its connection then cannot be used for another request.
        message.once('end', () => out.writableEnded || out.destroy())
        const { socket } = message
        const startIdleTime = () => socket.setTimeout(this.#timeouts.idle)
        startIdleTime()
        // The time may have run out while the app waited for the client, and is started anew only when bytes come.
        message.on('resume', () => message.complete || startIdleTime())
        resolve(message)
      })
      out.on('upgrade', (message, socket, head) => {
        if (onUpgrade !== undefined) return onUpgrade(message, socket, head)
        socket.destroy()
        reject(new Error('The app changed the protocol unasked.'))
      })
      const isWithinBounds = interimBounds()
      out.on('information', ({ statusCode, headers, rawHeaders }) => {
        // After the request is destroyed, interim responses from the same packet are still emitted.
        if (out.destroyed) return
        if (isWithinBounds(rawHeaders)) return outgoing.onInterimResponse?.(statusCode, headers)
        const error = new TooManyInterim('The app sent too many interim answers (1xx).')
        // Reject now, because the answer may be in the same packet and would resolve the promise.
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

  /** Lends an idle connection to the app for one request. `undefined` if there is none, or if a limit is reached. */
  lend(address: AppAddress): LentConnection | undefined {
    const app = nameOf(address)
    const connection = this.#isFull(app) ? undefined : this.#pool.lend(app, socket => this.#lent(socket, app))
    if (connection !== undefined) this.#enter(app)
    return connection
  }

  #lent(socket: Socket, app: string): LentConnection {
    return new LentConnection(socket, {
      timeouts: this.#timeouts,
      onLeave: () => this.#leave(app),
      onKeep: (connection, reuseMs) => this.#pool.keep(socket, app, reuseMs, connection),
    })
  }

  close(): void {
    this.#pool.destroy()
    this.#single.destroy()
  }

  #isFull(app: string): boolean {
    return (this.#underWay.get(app) ?? 0) >= this.#limits.perApp || this.#inAll >= this.#limits.inAll
  }

  /** Counts a request for the concurrency limits, until `#leave` is called. */
  #enter(app: string): void {
    this.#underWay.set(app, (this.#underWay.get(app) ?? 0) + 1)
    this.#inAll++
  }

  #leave(app: string): void {
    const left = this.#underWay.get(app)! - 1
    if (left === 0) this.#underWay.delete(app)
    else this.#underWay.set(app, left)
    this.#inAll--
  }

  /** Destroys the request when a timeout passes, unless the app waits for the client. */
  #watch(
    socket: Socket,
    out: ClientRequest,
    answer: () => IncomingMessage | undefined,
    { body }: Outgoing,
  ): void {
    const onTimeout = () => {
      if (socket.connecting)
        return void out.destroy(new Error('The app did not accept the connection in time.'))
      // The app is not late if it waits for a client that sends or reads slowly. The body is paused while the app does not read it.
      const isSending = body !== undefined && !body.readableEnded && !body.isPaused()
      const waitsForClient = answer()?.isPaused() ?? isSending
      if (!waitsForClient) out.destroy(new AppTimedOut('The app did not answer in time.'))
    }
    if (socket.connecting) socket.setTimeout(this.#timeouts.connect ?? defaultConnectMs)
    socket.on('timeout', onTimeout)
    out.once('close', () => socket.off('timeout', onTimeout))
  }
}

/** Returns a function that counts interim responses. That function returns false once they exceed `interimAtMost`. */
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

const isReset = (body: Readable): boolean =>
  ((body as unknown as Partial<Http2ServerRequest>).stream?.rstCode ?? 0) !== 0

/**
 * Sends the body, if any, and ends the request. It is called once the connection is established, so that a request can
 * be retried with its whole body if connecting fails. Request trailers are dropped, because an app could mistake them
 * for header fields that the platform has checked.
 */
function sendBody(out: ClientRequest, { body, headers, expectsContinue }: Outgoing): void {
  if (body === undefined) return void out.end()
  // Send the head before the body arrives, because the app may answer without waiting for the body.
  if (expectsContinue || !headers.includes('Content-Length')) out.flushHeaders()
  let left = Number(valueIn(headers, 'content-length') ?? 0)
  const pass = (chunk: Buffer) => {
    left -= chunk.length
    if (out.write(chunk)) return
    body.pause()
    out.once('drain', () => body.resume())
  }
  body.on('data', pass)
  // A body may end early without an error: node:http2 ends it when the client resets its stream after the answer.
  body.once('end', () => (left > 0 || isReset(body) ? out.destroy() : out.end()))
  body.once('error', () => out.destroy())
  // If the app answers without reading the body, discard the rest, so that the client's connection can be reused.
  out.once('close', () => body.off('data', pass).resume())
}
