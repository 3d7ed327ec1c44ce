// Answers plain GETs of hot files on the connection itself, at about twice the speed of node:http. The first request
// that is anything else takes its connection to node:http for good, with every byte that was not answered.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Access } from '../core/stats/access.ts'
import type { LanePeer } from './hot-access.ts'
import type { HotFile } from './hot-files.ts'
import { type PlainGet, readPlainGet } from './plain-get.ts'

/** The file that answers, where it is hot. */
export type FindHot = (request: PlainGet, from: LanePeer) => HotFile | undefined

class Connection implements LanePeer {
  readonly socket: Socket
  /** The sweep before which it was last heard of. */
  lastHeard: number
  last: Access | undefined
  readonly secure: boolean
  /** What it sent last, and what that meant. */
  #chunk: Buffer | undefined
  #request: PlainGet | undefined

  constructor(socket: Socket, lastHeard: number) {
    this.socket = socket
    this.secure = (socket as TLSSocket).encrypted === true
    this.lastHeard = lastHeard
  }

  get address(): string {
    return this.socket.remoteAddress ?? ''
  }

  /** The same bytes mean the same: whoever repeats a request costs no reading. */
  read(chunk: Buffer): PlainGet | undefined {
    if (this.#chunk?.equals(chunk)) return this.#request
    const request = readPlainGet(chunk)
    if (chunk.length <= comparedBytes) {
      this.#chunk = chunk
      this.#request = request
    }
    return request
  }
}

/** One timer looks for idle connections, so that a request sets none. */
const sweepMs = 5_000
/** Up to here a request is kept to be compared with the next. */
const comparedBytes = 1024
/** Up to here head and body are joined in one buffer, which is written faster than two. */
const joinedBytes = 32 * 1024

export class FastLane {
  readonly #server: Server
  readonly #find: FindHot
  readonly #toHttp: (socket: Socket) => void
  readonly #connections = new Set<Connection>()
  /** Connections by TLS get more headers. */
  readonly #heads: { plain: Heads; secure: Heads }
  readonly #sweeper: NodeJS.Timeout
  #sweeps = 0

  /** Stands before the server's own listener for connections. */
  constructor(server: Server, find: FindHot, secureHeaders: readonly string[] = []) {
    this.#server = server
    this.#find = find
    this.#heads = { plain: new Heads([]), secure: new Heads(secureHeaders) }
    this.#toHttp = server.listeners('connection')[0] as (socket: Socket) => void
    server.off('connection', this.#toHttp)
    server.on('connection', socket => this.#accept(socket))
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs).unref()
  }

  /** Ends the connections that are still its own, each after the answer under way. */
  close(): void {
    clearInterval(this.#sweeper)
    for (const { socket } of this.#connections) socket.destroySoon()
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket, this.#sweeps)
    const heads = connection.secure ? this.#heads.secure : this.#heads.plain
    const forget = () => this.#connections.delete(connection)
    const end = () => socket.end()
    const fail = () => socket.destroy()
    const answer = (chunk: Buffer) => {
      const request = connection.read(chunk)
      const hot = request === undefined ? undefined : this.#find(request, connection)
      if (hot === undefined) {
        socket.off('data', answer).off('end', end).off('error', fail).off('close', forget)
        forget()
        return this.#handOver(socket, chunk)
      }
      connection.lastHeard = this.#sweeps
      send(socket, hot, heads.of(hot, this.#server.keepAliveTimeout))
      if (socket.writableLength > 0) waitUntilTaken(socket, this.#server.timeout)
    }
    this.#connections.add(connection)
    socket.on('data', answer).on('end', end).on('error', fail).on('close', forget)
  }

  /** The chunk goes back to where it came from, to be read again. */
  #handOver(socket: Socket, chunk: Buffer) {
    socket.pause()
    socket.unshift(chunk)
    this.#toHttp.call(this.#server, socket)
    socket.resume()
  }

  #sweep(): void {
    this.#sweeps++
    const { keepAliveTimeout } = this.#server
    if (keepAliveTimeout === 0) return
    const heardSince = this.#sweeps - Math.ceil(keepAliveTimeout / sweepMs)
    for (const { socket, lastHeard } of this.#connections)
      if (lastHeard < heardSince && socket.writableLength === 0) socket.destroy()
  }
}

function send(socket: Socket, hot: HotFile, head: Buffer): void {
  if (hot.body.length <= joinedBytes) return void socket.write(head)
  socket.cork()
  socket.write(head)
  socket.write(hot.body)
  socket.uncork()
}

/** Whoever asks without reading is not read any further; slow is well, standing still for as long as the server bears is not. */
function waitUntilTaken(socket: Socket, silenceMs: number): void {
  const cut = () => socket.destroy()
  socket.pause()
  socket.setTimeout(silenceMs, cut)
  // Of no bytes: it is done when all before it is.
  socket.write('', () => socket.setTimeout(0, cut).resume())
}

interface Head {
  second: number
  bytes: Buffer
}

/** Heads of answers, made anew each second, for the Date; never changed in place, since one may still be on its way. */
class Heads {
  readonly #made = new WeakMap<HotFile, Head>()
  readonly #more: readonly string[]

  constructor(more: readonly string[]) {
    this.#more = more
  }

  of(hot: HotFile, keepAliveTimeout: number): Buffer {
    const second = Math.floor(Date.now() / 1000)
    const known = this.#made.get(hot)
    if (known !== undefined && known.second === second) return known.bytes
    let text = `HTTP/1.1 200 OK\r\n${lines(hot.headers)}`
    // What a site says itself is not said again.
    if (!hot.headers.some(name => name.toLowerCase() === this.#more[0]?.toLowerCase()))
      text += lines(this.#more)
    text += `Date: ${new Date(second * 1000).toUTCString()}\r\nConnection: keep-alive\r\n`
    if (keepAliveTimeout > 0) text += `Keep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n`
    const head = Buffer.from(`${text}\r\n`, 'latin1')
    const bytes = hot.body.length <= joinedBytes ? Buffer.concat([head, hot.body]) : head
    this.#made.set(hot, { second, bytes })
    return bytes
  }
}

function lines(headers: readonly string[]): string {
  let text = ''
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
  return text
}
