// Hands connections to the node:http server behind the lane, for good or for one request at a time.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** node:http's own listeners for a connection. */
export interface Attached {
  /** Hands bytes to node:http's parser. */
  feed(bytes: Buffer): void
  /** Tells node:http that the client has ended its side. */
  end(): void
}

/** The listeners that get the events of the connection in their place. */
interface InPlace {
  onData(bytes: Buffer): void
  onEnd(): void
}

type OnRequest = (req: IncomingMessage, res: ServerResponse) => void

export class NodeHttp {
  readonly #server: Server
  readonly #accept: (socket: Socket) => void
  #onRequest: OnRequest | undefined

  /** Replaces node:http's listener for connections of the server with `onConnection`. */
  constructor(server: Server, onConnection: (socket: Socket) => void) {
    this.#server = server
    this.#accept = server.listeners('connection')[0] as (socket: Socket) => void
    server.off('connection', this.#accept)
    server.on('connection', onConnection)
    const tell: OnRequest = (req, res) => this.#onRequest?.(req, res)
    server.prependListener('request', tell).prependListener('checkContinue', tell)
  }

  /** Gives node:http the connection for good. `bytes` were already read from the socket, and are put back first. */
  give(socket: Socket, bytes: Buffer): void {
    socket.pause()
    socket.unshift(bytes)
    this.#accept.call(this.#server, socket)
    socket.resume()
  }

  /** Adds node:http's listeners to the socket, but the given ones are called in place of those for data and for the end. */
  attach(socket: Socket, { onData, onEnd }: InPlace): Attached {
    // The first ones are of the socket itself.
    const at = socket.listenerCount('end')
    this.#accept.call(this.#server, socket)
    const feed = socket.listeners('data')[0] as Attached['feed']
    const end = socket.listeners('end')[at] as Attached['end']
    // node:http reads directly from the socket's handle until another listener for data is added.
    socket.on('data', onData)
    socket.off('data', feed)
    socket.off('end', end).on('end', onEnd)
    return { feed, end }
  }

  /**
   * Feeds `bytes` to node:http's parser. If they complete the head of a request, calls `onRequest` before it returns.
   */
  feed({ feed }: Attached, bytes: Buffer, onRequest: OnRequest): void {
    this.#onRequest = onRequest
    try {
      feed(bytes)
    } finally {
      this.#onRequest = undefined
    }
  }
}
