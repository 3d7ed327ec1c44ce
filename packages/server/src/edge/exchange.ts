// One HTTP request and its answer. Every step of the edge takes an `Exchange`; none writes to the response itself.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { AccessLogParts } from '../core/stats/access.ts'
import { neededFields } from '../core/stats/fields.ts'
import { requestIdField, strictTransport } from '../lib/platform-fields.ts'
import { headerLines } from '../lib/raw-headers.ts'
import type { Peer, Received } from '../lib/received.ts'
import { newRequestId } from '../lib/request-ids.ts'
import { type Destination, type Hosts, hostname, requestedHost } from './hosts.ts'
import { type BegunRequest, begunRequestOf } from './proxy/begun-request.ts'
import { readTarget, type Target } from './targets.ts'

/**
 * How much of a body is handed to an HTTP/2 stream at a time. node:http2 refuses further requests of a connection on which much waits
 * to be sent, even if it is in memory anyway.
 */
const partBytes = 64 * 1024

/** The status in the access log if the client went away before an answer began. */
const unanswered = 0

/**
 * One request and its answer. `begin` adds the common headers, the body's bytes are counted, and the access log gets a line
 * when the answer ends.
 *
 *     const exchange = new Exchange(req, res, hosts)
 *     exchange.logTo({ log, clock, isTrusted }, site.projectId)
 *     if (!exchange.target) exchange.answer(400, ['Content-Type', 'text/plain'], 'Bad request')
 *     else {
 *       exchange.begin(200, ['Content-Type', 'text/html'])
 *       await exchange.sendStream(file)
 *     }
 */
export class Exchange implements Received {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly peer: Peer
  /** Where people report abuse of the platform. */
  readonly abuseContact: string | undefined
  /** The host that the request names, with its port. `undefined` if the request names no host or several hosts. */
  readonly host: string | undefined
  readonly destination: Destination
  /** Whether the answer gets Strict-Transport-Security. If the site sets this header itself, `begin` adds none. */
  isStrictTransport = false
  /** Set if a lane has already sent the request to an app. */
  readonly begun: BegunRequest | undefined
  /** Whether a 304 is for an HTML page. The access log needs this. `undefined` if it is not known. */
  isUnchangedPage: boolean | undefined
  /** What answers, for the metrics. */
  source: 'static' | 'app' | 'platform' = 'platform'
  /** The deployment that answers, for the request log. */
  deploymentId: string | undefined
  #requestId: string | undefined
  #hostname: string | undefined
  #target: Target | null | undefined
  #cache: string | undefined
  #type: string | undefined
  /** The Content-Length of the answer. */
  #length: number | undefined
  #bodyBytes = 0
  #isLogged = true

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    hosts: Hosts,
    received: { [Key in keyof Received]?: Received[Key] | undefined } = {},
  ) {
    this.req = req
    this.res = res
    this.peer = received.peer ?? peerOf(req.socket)
    this.begun = begunRequestOf(req)
    this.#requestId = received.requestId ?? this.begun?.requestId
    this.host = requestedHost(req)
    this.destination = hosts.find(this.host)
    this.abuseContact = hosts.abuseContact
  }

  get requestId(): string {
    this.#requestId ??= newRequestId()
    return this.#requestId
  }

  get method(): string {
    return this.req.method!
  }

  /** The request target as the client sent it: path and query, or an absolute URL. */
  get url(): string {
    return this.req.url!
  }

  get isReading(): boolean {
    return this.req.method === 'GET' || this.req.method === 'HEAD'
  }

  /** The host without its port, with names in lower case. Empty if the request names no valid host. */
  get hostname(): string {
    this.#hostname ??= hostname(this.host ?? '') ?? ''
    return this.#hostname
  }

  /** The parsed `url`. `undefined` if `url` is not valid. */
  get target(): Target | undefined {
    if (this.#target === undefined) this.#target = readTarget(this.url) ?? null
    return this.#target ?? undefined
  }

  /** Whether nothing more can be sent, for example because the client went away. HTTP/2 keeps this state in the stream. */
  get isClosed(): boolean {
    return this.res.destroyed || ((this.res as unknown as Http2ServerResponse).stream?.destroyed ?? false)
  }

  /** Sends a complete answer. `headers` alternates names and values. */
  answer(status: number, headers: readonly string[], body?: Buffer | string): void {
    this.begin(status, headers)
    this.end(body)
  }

  /** Sends the head of an answer. `headers` alternates names and values. The body follows with `write` and `end`. */
  begin(status: number, headers: readonly string[], message?: string): void {
    let isStrict = !this.isStrictTransport
    // By hand: every answer comes through here, and one pass finds all four fields by the lengths of their names.
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i]!
      if (name.length === 11) {
        if (name.toLowerCase() === 'x-svc-cache') this.#cache = headers[i + 1]
      } else if (name.length === 12) {
        if (name.toLowerCase() === 'content-type') this.#type = headers[i + 1]
      } else if (name.length === 14) {
        if (name.toLowerCase() === 'content-length') this.#length = Number(headers[i + 1])
      } else if (!isStrict && name.length === strictTransport[0].length)
        isStrict = name.toLowerCase() === strictTransport[0].toLowerCase()
    }
    const all = [...headers, requestIdField, this.requestId]
    if (!isStrict) all.push(...strictTransport)
    if (message === undefined) this.res.writeHead(status, all)
    else this.res.writeHead(status, message, all)
  }

  /** Sends a part of the body. Returns false if the buffer is full. Then the caller waits for `drain` of `res`. */
  write(chunk: Buffer): boolean {
    this.#bodyBytes += chunk.length
    return this.res.write(chunk)
  }

  end(body?: Buffer | string): void {
    if (Buffer.isBuffer(body) && body.length > partBytes && this.req.httpVersionMajor > 1) {
      this.#endInParts(body)
      return
    }
    if (body !== undefined) this.#bodyBytes += Buffer.byteLength(body)
    this.res.end(body)
  }

  #endInParts(body: Buffer): void {
    let at = 0
    const sendMore = () => {
      while (at + partBytes < body.length && !this.isClosed) {
        const part = body.subarray(at, at + partBytes)
        at += partBytes
        if (!this.write(part)) {
          this.res.once('drain', sendMore)
          return
        }
      }
      if (!this.isClosed) this.end(body.subarray(at))
    }
    sendMore()
  }

  /**
   * Sends the body from a stream, with back-pressure. Resolves when the stream has ended or the client has gone away. If the
   * stream fails, aborts the answer and rejects.
   */
  sendStream(body: Readable): Promise<void> {
    const { res } = this
    return new Promise((resolve, reject) => {
      body.on('data', (chunk: Buffer) => {
        if (this.write(chunk)) return
        body.pause()
        res.once('drain', () => body.resume())
      })
      body.once('end', () => {
        this.end()
        resolve()
      })
      body.once('error', error => {
        res.destroy()
        reject(error)
      })
      res.once('close', () => {
        body.destroy()
        resolve()
      })
    })
  }

  /** Sets the headers that `begin` would add. For parts of the platform that write to `res` themselves. */
  setCommonHeaders(): void {
    this.res.setHeader(requestIdField, this.requestId)
    if (this.isStrictTransport) this.res.setHeader(...strictTransport)
  }

  /** Arranges that the answer is written to the access log when it is over. Must be called before the answer begins. */
  logTo({ log, clock, isTrusted }: AccessLogParts, projectId: string): void {
    const { req, res } = this
    const { socket } = req
    // An HTTP/2 connection is shared by many requests, so its byte count says nothing about this request.
    const isShared = req.httpVersionMajor > 1
    const startedAt = performance.now()
    const bytesBefore = isShared ? 0 : socket.bytesWritten
    this.#isLogged = false
    this.#log = (status, isWhole) => {
      this.#isLogged = true
      const declared = hasNoBody(this.method, status) ? 0 : (this.#length ?? this.#bodyBytes)
      const sent = isShared ? this.#bodyBytes : socket.bytesWritten - bytesBefore
      const html = this.#isPage(status)
      const { address } = this.peer
      const trusted = isTrusted(address)
      log.add({
        at: clock.now(),
        projectId,
        host: this.host ?? '',
        method: this.method,
        target: this.url,
        status,
        bytes: isWhole ? declared : Math.min(declared, sent),
        cache: this.#cache,
        source: this.source,
        html,
        peer: address,
        deploymentId: this.deploymentId,
        requestId: this.requestId,
        ms: Math.round(performance.now() - startedAt),
        fields: trusted || html ? neededFields(headerLines(req.rawHeaders), trusted) : '',
        times: 1,
        taken: false,
      })
    }
    res.once('close', () => {
      const status = res.headersSent ? res.statusCode : unanswered
      // In HTTP/2, `writableFinished` is true even if the answer was aborted.
      if (!this.#isLogged) this.#log(status, !isShared && res.writableFinished)
    })
  }

  /** Writes a 101 to the access log at once, because `res` does not see the end of the upgraded connection. */
  switchedProtocols(): void {
    if (!this.#isLogged) this.#log(101, true)
  }

  #log: (status: number, isWhole: boolean) => void = () => undefined

  /**
   * Whether the answer is an HTML page. For a 304 without Content-Type, `isUnchangedPage` decides, or the Accept header if
   * `isUnchangedPage` is `undefined`.
   */
  #isPage(status: number): boolean {
    if (this.#type !== undefined) return /^text\/html/i.test(this.#type)
    return status === 304 && (this.isUnchangedPage ?? /text\/html/i.test(this.req.headers.accept ?? ''))
  }
}

const peerOf = (socket: Socket): Peer => ({
  address: socket.remoteAddress ?? '',
  secure: (socket as TLSSocket).encrypted === true,
})

const hasNoBody = (method: string, status: number): boolean =>
  method === 'HEAD' || status === 304 || status === 204
