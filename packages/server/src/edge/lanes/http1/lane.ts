// The HTTP/1.1 lane: stands before node:http on every connection, and answers GET and HEAD of hot files on the socket itself.
import type { Server } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { HotSource } from '../../hot-source.ts'
import { Answers } from './answers.ts'
import { Connection } from './connection.ts'
import { longestHead } from './head.ts'
import { NodeHttp } from './node-http.ts'

/** How often idle and stuck connections are looked for. One timer does it for all, so that requests set none. */
const checkMs = 5_000

interface LaneSettings {
  /** Headers of every answer by TLS, names and values in turn. */
  secureHeaders?: readonly string[]
  /** The longest head that the server accepts. */
  headerBytes?: number
}

export class Http1Lane {
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  readonly #timer: NodeJS.Timeout

  /** Takes the server's connections from now on. */
  constructor(
    server: Server,
    hot: HotSource,
    { secureHeaders = [], headerBytes = longestHead }: LaneSettings = {},
  ) {
    this.#server = server
    const answersWith = (more: readonly string[]) =>
      new Answers({ more, keepAliveTimeout: () => server.keepAliveTimeout })
    const [plain, secure] = [answersWith([]), answersWith(secureHeaders)]
    const headBytes = Math.min(longestHead, headerBytes)
    const http = new NodeHttp(server, socket => {
      const answers = (socket as TLSSocket).encrypted ? secure : plain
      const onGone = () => this.#connections.delete(connection)
      const connection = new Connection(socket, { http, hot, answers, headBytes, onGone })
      this.#connections.add(connection)
    })
    this.#timer = setInterval(() => this.#check(), checkMs).unref()
  }

  /** Whether clients have yet to take answers of the lane. */
  get isUnsent(): boolean {
    for (const connection of this.#connections) if (connection.isUnsent && !connection.isBusy) return true
    return false
  }

  /** Ends its connections, each after the answer that is under way. */
  close(): void {
    clearInterval(this.#timer)
    for (const connection of this.#connections) connection.close()
  }

  /** Ends connections on which nothing moves: idle ones, and those of clients that do not take their answers. */
  #check(): void {
    const { keepAliveTimeout, timeout } = this.#server
    for (const connection of this.#connections) {
      connection.noteProgress()
      const limit = connection.isUnsent ? timeout : keepAliveTimeout
      const isOver = limit > 0 && connection.quietChecks * checkMs >= limit
      if (isOver && !connection.isBusy) connection.socket.destroy()
    }
  }
}
