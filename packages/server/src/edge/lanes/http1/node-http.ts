// The server of node:http behind the lane: takes connections for good, or one request at a time.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Hands bytes of a connection to node:http's parser. */
export type Feed = (bytes: Buffer) => void

type OnRequest = (req: IncomingMessage, res: ServerResponse) => void

export class NodeHttp {
  readonly #server: Server
  readonly #accept: (socket: Socket) => void
  #onRequest: OnRequest | undefined

  /** Connections of the server go to `onConnection` from now on. */
  constructor(server: Server, onConnection: (socket: Socket) => void) {
    this.#server = server
    this.#accept = server.listeners('connection')[0] as (socket: Socket) => void
    server.off('connection', this.#accept)
    server.on('connection', onConnection)
    const tell: OnRequest = (req, res) => this.#onRequest?.(req, res)
    server.prependListener('request', tell).prependListener('checkContinue', tell)
  }

  /** Gives the connection away for good, with bytes that were read from it. */
  give(socket: Socket, bytes: Buffer): void {
    socket.pause()
    socket.unshift(bytes)
    this.#accept.call(this.#server, socket)
    socket.resume()
  }

  /**
   * Lets node:http listen to the connection without reading it: `onData` gets the bytes, and decides which of them are fed to
   * node:http's parser.
   */
  attach(socket: Socket, onData: (bytes: Buffer) => void): Feed {
    this.#accept.call(this.#server, socket)
    const feed = socket.listeners('data')[0] as Feed
    // node:http reads from the file descriptor by itself until somebody else listens for data.
    socket.on('data', onData)
    socket.off('data', feed)
    return feed
  }

  /** `onRequest` is called before this returns, if the bytes complete the head of a request. */
  feed(feed: Feed, bytes: Buffer, onRequest: OnRequest): void {
    this.#onRequest = onRequest
    try {
      feed(bytes)
    } finally {
      this.#onRequest = undefined
    }
  }
}
