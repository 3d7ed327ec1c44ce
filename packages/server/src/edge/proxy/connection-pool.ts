// A pool of keep-alive connections to apps. It is cheaper than the pool of node:http's Agent, which builds a name and
// copies the options for every request. It opens connections with `connect`, because only `connect` can resolve the
// host of some apps.
import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http'
import { connect as connectPlainly, type Socket } from 'node:net'
import type { Connect } from '../../core/base/apps.ts'
import { mayBodyFollow, reuseMsOf } from '../../lib/keep-alive.ts'
import type { AnswerOnly } from './begun-request.ts'
import type { LentConnection } from './lent-connection.ts'
import { defaultReuseMs } from './timeouts.ts'

const sweepEveryMs = 500

interface Idle {
  socket: Socket
  /** Set if a lane used the connection last. Its listeners are still on the socket. */
  lent: LentConnection | undefined
  /** Until when the connection may be reused, as `performance.now()`. */
  until: number
}

/** The options that `Upstream` passes to node:http. */
export interface PooledOptions extends ClientRequestArgs {
  /** Identifies the app. Requests with the same value share connections. */
  app: string
  /** The connection on which the request was already sent, if a lane has begun it. */
  answered: AnswerOnly | undefined
  /** Whether no idle connection may be used. */
  onNewConnection: boolean
  /** The node that runs the app, if it is another one. */
  node?: string
}

export class ConnectionPool extends Agent {
  readonly #connect: Connect | undefined
  readonly #isReusing: boolean
  readonly #reuseMs: number
  readonly #open = new Set<Socket>()
  readonly #idle = new Map<string, Idle[]>()
  #sweeping: NodeJS.Timeout | undefined

  /** `reuseMs`: how long an idle connection may be reused if the app does not announce a time. Without `connect`, the pool connects to the given host and port itself. */
  constructor(
    { keepAlive, reuseMs = defaultReuseMs }: { keepAlive: boolean; reuseMs?: number | undefined },
    connect: Connect | undefined,
  ) {
    super({ keepAlive })
    this.#isReusing = keepAlive
    this.#reuseMs = reuseMs
    this.#connect = connect
  }

  /** Gives the request an idle connection, or opens a new one. node:http calls this for each request. */
  addRequest(request: ClientRequest, options: PooledOptions): void {
    const { app, answered, onNewConnection } = options
    const idle = () => (onNewConnection ? undefined : this.take(app))
    const socket = (answered as unknown as Socket | undefined) ?? idle()
    if (socket === undefined) return void this.#openFor(request, options)
    request.reusedSocket = true
    request.onSocket(socket)
  }

  /** Takes an idle connection to the app out of the pool. `undefined` if there is none. */
  take(app: string): Socket | undefined {
    const idle = this.#takeIdle(app)
    if (idle === undefined) return undefined
    return idle.lent?.release() ?? idle.socket.off('data', closeConnection).ref()
  }

  /** Takes an idle connection for a lane. `lend` is called if it was not lent before. */
  lend(app: string, lend: (socket: Socket) => LentConnection): LentConnection | undefined {
    const idle = this.#takeIdle(app)
    if (idle === undefined) return undefined
    return idle.lent ?? lend(idle.socket.off('data', closeConnection))
  }

  /**
   * Keeps a connection for the next request to the app. The answer to the request before it must be complete. `reuseMs` is from
   * its Keep-Alive field.
   */
  keep(socket: Socket, app: string, reuseMs = this.#reuseMs, lent?: LentConnection): void {
    if (!socket.writable) return void socket.destroy()
    if (lent === undefined) socket.on('data', closeConnection).unref()
    const idle = this.#idle.get(app)
    const entry = { socket, lent, until: performance.now() + reuseMs }
    if (idle === undefined) this.#idle.set(app, [entry])
    else idle.push(entry)
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepEveryMs).unref()
  }

  override destroy(): void {
    clearInterval(this.#sweeping)
    for (const socket of this.#open) socket.destroy()
  }

  async #openFor(request: ClientRequest, options: PooledOptions): Promise<void> {
    try {
      const socket = await this.#newConnection(options)
      this.#adopt(socket, options.app)
      request.onSocket(socket)
    } catch (error) {
      // This makes node:http fail the request with the error.
      ;(request as unknown as FailingRequest).onSocket(undefined, error)
    }
  }

  async #newConnection({ socketPath, host, port, node }: PooledOptions): Promise<Socket> {
    if (socketPath) return connectPlainly({ path: socketPath })
    const address = { host: host ?? '', port: Number(port), ...(node !== undefined && { node }) }
    return this.#connect ? await this.#connect(address) : connectPlainly({ ...address, noDelay: true })
  }

  #adopt(socket: Socket, app: string): void {
    this.#open.add(socket)
    const onClose = () => void this.#open.delete(socket)
    const onFree = () => this.#onFree(socket, app)
    socket.on('close', onClose)
    // node:http emits `free` when the request on this connection is over.
    socket.on('free', onFree)
    // Between two requests no other listener handles errors, and an unhandled error would end the process.
    socket.on('error', () => undefined)
    // node:http emits `agentRemove` when the connection is upgraded to another protocol. It then no longer belongs to
    // the pool.
    socket.once('agentRemove', () => {
      onClose()
      socket.off('close', onClose).off('free', onFree)
    })
  }

  #onFree(socket: Socket, app: string): void {
    const request = (socket as SocketOfRequest)._httpMessage
    const isOver = !this.#isReusing || !request?.shouldKeepAlive || mayGetBody(request)
    const reuseMs = reuseMsOf(String(request?.res?.headers['keep-alive']))
    if (isOver || reuseMs === 0) return void socket.destroy()
    delete (socket as SocketOfRequest)._httpMessage
    this.keep(socket, app, reuseMs)
  }

  /**
   * Returns the most recently used connection, because it is most likely still open. Closes connections that are no
   * longer usable.
   */
  #takeIdle(app: string): Idle | undefined {
    const idle = this.#idle.get(app)
    for (let entry = idle?.pop(); entry !== undefined; entry = idle?.pop()) {
      if (this.#isUsable(entry)) return entry
      entry.socket.destroy()
    }
    return undefined
  }

  #isUsable({ socket, until }: Idle): boolean {
    return socket.writable && performance.now() < until
  }

  #sweep(): void {
    for (const [app, idle] of this.#idle) {
      const kept = idle.filter(entry => this.#isUsable(entry))
      for (const entry of idle) if (!kept.includes(entry)) entry.socket.destroy()
      if (kept.length > 0) this.#idle.set(app, kept)
      else this.#idle.delete(app)
    }
    if (this.#idle.size > 0) return
    clearInterval(this.#sweeping)
    this.#sweeping = undefined
  }
}

/**
 * `onSocket` with its second argument, which Node's types lack. node:http's Agent passes it when a connection failed.
 */
type FailingRequest = Omit<ClientRequest, 'onSocket'> & { onSocket(socket: undefined, error: unknown): void }

/** node:http keeps the current request of a connection in `_httpMessage`. */
type SocketOfRequest = Socket & { _httpMessage?: ClientRequest & { res?: Answer } }
type Answer = { statusCode: number; headers: Headers }
type Headers = Record<string, string | string[] | undefined>

/** Closes an idle connection on which the app sends something. It would be read as the answer to the next request. */
function closeConnection(this: Socket): void {
  this.destroy()
}

function mayGetBody({ method, res }: NonNullable<SocketOfRequest['_httpMessage']>): boolean {
  const { statusCode = 0, headers = {} } = res ?? {}
  const length = Number(headers['content-length'] ?? 0)
  return mayBodyFollow(method === 'HEAD', statusCode, length > 0 || 'transfer-encoding' in headers)
}
