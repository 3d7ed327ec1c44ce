// One request and its answer. The listener creates it when the head of the request is complete. Every answer of the edge
// goes out through it, so one place adds the common headers, counts bytes and writes to the access log.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { CountParts } from '../core/stats/access.ts'
import { neededFields } from '../core/stats/fields.ts'
import { headerLines } from '../lib/raw-headers.ts'
import type { Peer, Received } from '../lib/received.ts'
import { newRequestId } from '../lib/request-ids.ts'
import { type Destination, type Hosts, hostname, requestedHost } from './hosts.ts'
import { readTarget, type Target } from './targets.ts'

/** One year, without `includeSubDomains`: subdomains of a customer's domain may be hosted elsewhere. */
export const strictTransport = ['Strict-Transport-Security', 'max-age=31536000'] as const

export const requestIdField = 'X-Svc-Request-Id'

/** The status in the access log if the client went away before an answer began. */
const unanswered = 0

export class Exchange implements Received {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly peer: Peer
  /** The host of the request, with its port. `undefined` if the request names none, or more than one. */
  readonly host: string | undefined
  readonly destination: Destination
  /** Adds Strict-Transport-Security to the answer, unless the site sets that header itself. */
  isStrictTransport = false
  /** Whether a 304 is for an HTML document, for the access log. `undefined` if that is not known. */
  isUnchangedPage: boolean | undefined
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
    this.#requestId = received.requestId
    this.host = requestedHost(req)
    this.destination = hosts.find(this.host)
  }

  get requestId(): string {
    this.#requestId ??= newRequestId()
    return this.#requestId
  }

  get method(): string {
    return this.req.method!
  }

  /** The path and query of the request line. */
  get url(): string {
    return this.req.url!
  }

  get isReading(): boolean {
    return this.req.method === 'GET' || this.req.method === 'HEAD'
  }

  /** The host in lower case, without the port. Empty if the request names none. */
  get hostname(): string {
    this.#hostname ??= hostname(this.host ?? '') ?? ''
    return this.#hostname
  }

  /** `undefined` if the URL is not valid. */
  get target(): Target | undefined {
    if (this.#target === undefined) this.#target = readTarget(this.url) ?? null
    return this.#target ?? undefined
  }

  /** The client went away, or the answer was aborted. HTTP/2 keeps this state in the stream. */
  get isClosed(): boolean {
    return this.res.destroyed || ((this.res as unknown as Http2ServerResponse).stream?.destroyed ?? false)
  }

  /** Sends a whole answer. */
  answer(status: number, headers: readonly string[], body?: Buffer | string): void {
    this.begin(status, headers)
    this.end(body)
  }

  /** Sends the head of an answer whose body follows. `headers` alternates names and values. */
  begin(status: number, headers: readonly string[], message?: string): void {
    let isStrict = !this.isStrictTransport
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

  /** Returns false if the buffer is full: wait for `drain` of the response. */
  write(chunk: Buffer): boolean {
    this.#bodyBytes += chunk.length
    return this.res.write(chunk)
  }

  end(body?: Buffer | string): void {
    if (body !== undefined) this.#bodyBytes += Buffer.byteLength(body)
    this.res.end(body)
  }

  /**
   * Sends the body from a stream, with back-pressure. Resolves when all was sent or the client went away. If the stream
   * fails, aborts the answer and rejects.
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

  /** Sets the headers that every answer has, for parts of the platform that write to `res` themselves. */
  setCommonHeaders(): void {
    this.res.setHeader(requestIdField, this.requestId)
    if (this.isStrictTransport) this.res.setHeader(...strictTransport)
  }

  /** Writes the answer to the access log when it is over. Must be called before the answer begins. */
  logTo({ log, clock, isTrusted }: CountParts, projectId: string): void {
    const { req, res } = this
    const { socket } = req
    // An HTTP/2 connection is shared by many requests, so its byte count says nothing about this one.
    const isShared = req.httpVersionMajor > 1
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
        html,
        peer: address,
        fields: trusted || html ? neededFields(headerLines(req.rawHeaders), trusted) : '',
        times: 1,
        taken: false,
      })
    }
    res.once('close', () => {
      const status = res.headersSent ? res.statusCode : unanswered
      // HTTP/2 marks every answer that is over as finished, even an aborted one.
      if (!this.#isLogged) this.#log(status, !isShared && res.writableFinished)
    })
  }

  /** Writes the 101 to the access log now: HTTP sees neither the length nor the end of what follows. */
  switchedProtocols(): void {
    if (!this.#isLogged) this.#log(101, true)
  }

  #log: (status: number, isWhole: boolean) => void = () => undefined

  /** A 304 of an app has no Content-Type. Then the Accept header of the request decides. */
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
