// The HTTP/1.1 lane. It reads every connection before node:http does. It answers GET and HEAD requests for hot files
// directly on the socket, and passes plain requests to apps.
import type { Server } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Peer } from '../../../lib/received.ts'
import type { AppLaneSource, HotSource } from '../sources.ts'
import { Answers } from './answers.ts'
import { Connection } from './connection.ts'
import { longestHead } from './head.ts'
import { NodeHttp } from './node-http.ts'

/**
 * How often the lane looks for idle and stuck connections. One timer serves all connections, so that requests set
 * none.
 */
const checkMs = 5_000

interface LaneSettings {
  /** Headers for answers over TLS, names and values in turn. */
  secureHeaders?: readonly string[]
  /** The longest head that the server accepts, in bytes. */
  headerBytes?: number
  /** Without it, node:http gets all requests to apps. */
  apps?: AppLaneSource
  /** Whether node:http answers all requests of a connection whose first one is for this host. */
  isForNode?(host: string, peer: Peer): boolean
}

export class Http1Lane {
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  readonly #timer: NodeJS.Timeout
  readonly #answers: readonly Answers[]
  #isDraining = false

  /** From now on, new connections of `server` go through the lane. */
  constructor(
    server: Server,
    hot: HotSource,
    { secureHeaders = [], headerBytes = longestHead, apps, isForNode = () => false }: LaneSettings = {},
  ) {
    this.#server = server
    const answersWith = (more: readonly string[]) =>
      new Answers({ more, keepAliveTimeout: () => server.keepAliveTimeout })
    const [plain, secure] = [answersWith([]), answersWith(secureHeaders)]
    this.#answers = [plain, secure]
    const headBytes = Math.min(longestHead, headerBytes)
    const http = new NodeHttp(server, socket => {
      const answers = (socket as TLSSocket).encrypted ? secure : plain
      const onGone = () => this.#connections.delete(connection)
      const connection = new Connection(socket, { http, hot, apps, answers, headBytes, isForNode, onGone })
      this.#connections.add(connection)
      if (this.#isDraining) connection.drain()
    })
    this.#timer = setInterval(() => this.#check(), checkMs).unref()
  }

  /** Whether the lane itself is answering a request. */
  get isAnswering(): boolean {
    for (const connection of this.#connections) if (connection.isAnswering && !connection.isBusy) return true
    return false
  }

  /** From now on, each connection closes after its next answer, which says so. */
  drain(): void {
    clearInterval(this.#timer)
    this.#isDraining = true
    for (const answers of this.#answers) answers.sayLast()
    for (const connection of this.#connections) connection.drain()
  }

  /** Closes the connections that have no request. */
  closeIdle(): void {
    for (const connection of this.#connections) connection.closeIfIdle()
  }

  /** Closes all connections of the lane at once. */
  closeNow(): void {
    for (const { socket } of this.#connections) socket.destroy()
  }

  /**
   * Closes connections on which no byte has moved for too long: idle ones, and those of clients that do not read
   * their answers. Leaves long bodies to node:http.
   */
  #check(): void {
    const { keepAliveTimeout, timeout } = this.#server
    for (const connection of this.#connections) {
      connection.handOverSlowBody()
      connection.noteProgress()
      const limit = connection.isAnswering ? timeout : keepAliveTimeout
      const isOver = limit > 0 && connection.quietChecks * checkMs >= limit
      if (isOver && !connection.isBusy) connection.socket.destroy()
    }
  }
}
