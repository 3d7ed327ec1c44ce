// A pool of keep-alive connections to apps. It replaces the pool of node:http's Agent, which builds a name and copies the
// options for every request, and it opens connections with `connect`, which knows how to reach an app.
import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http'
import { connect as connectPlainly, type Socket } from 'node:net'
import type { Connect } from '../../core/apps/apps.ts'

/**
 * How long an idle connection may be reused. Shorter than the keep-alive timeout of common servers (two seconds and more),
 * so that the app does not close the connection while a request is being sent.
 */
const idleMs = 1_500
const sweepEveryMs = 500

/** An idle connection. Only the pool listens to it. */
interface Idle {
  socket: Socket
  since: number
}

/** The options that `Upstream` passes to node:http. */
export interface PooledOptions extends ClientRequestArgs {
  /** Requests with the same value share connections. */
  app: string
}

export class ConnectionPool extends Agent {
  readonly #connect: Connect | undefined
  readonly #isReusing: boolean
  readonly #open = new Set<Socket>()
  readonly #idle = new Map<string, Idle[]>()
  #sweeping: NodeJS.Timeout | undefined

  /** Without `connect`, connections are opened as node:http does. */
  constructor({ keepAlive }: { keepAlive: boolean }, connect: Connect | undefined) {
    super({ keepAlive })
    this.#isReusing = keepAlive
    this.#connect = connect
  }

  /** Called by node:http for each request. */
  addRequest(request: ClientRequest, options: PooledOptions): void {
    const idle = this.#takeIdle(options.app)
    if (idle === undefined) return void this.#openFor(request, options)
    request.reusedSocket = true
    idle.ref()
    request.onSocket(idle)
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
      // Makes node:http fail the request.
      ;(request as unknown as FailingRequest).onSocket(undefined, error)
    }
  }

  async #newConnection({ socketPath, host, port }: PooledOptions): Promise<Socket> {
    if (socketPath) return connectPlainly({ path: socketPath })
    const address = { host: host ?? '', port: Number(port) }
    return this.#connect ? await this.#connect(address) : connectPlainly({ ...address, noDelay: true })
  }

  #adopt(socket: Socket, app: string): void {
    this.#open.add(socket)
    const onClose = () => void this.#open.delete(socket)
    const onFree = () => this.#keep(socket, app)
    socket.on('close', onClose)
    // node:http emits `free` when a request is over.
    socket.on('free', onFree)
    // Between two requests no other listener handles errors. `close` follows.
    socket.on('error', () => undefined)
    // The connection was upgraded to another protocol.
    socket.once('agentRemove', () => {
      onClose()
      socket.off('close', onClose).off('free', onFree)
    })
  }

  #keep(socket: Socket, app: string): void {
    const request = (socket as SocketOfRequest)._httpMessage
    if (!this.#isReusing || !request?.shouldKeepAlive || !socket.writable || isShortLived(request))
      return void socket.destroy()
    delete (socket as SocketOfRequest)._httpMessage
    socket.unref()
    const idle = this.#idle.get(app)
    const entry = { socket, since: performance.now() }
    if (idle === undefined) this.#idle.set(app, [entry])
    else idle.push(entry)
    this.#sweeping ??= setInterval(() => this.#sweep(), sweepEveryMs).unref()
  }

  /** Takes the most recently used connection, because it is most likely still open. */
  #takeIdle(app: string): Socket | undefined {
    const idle = this.#idle.get(app)
    for (let entry = idle?.pop(); entry !== undefined; entry = idle?.pop()) {
      if (isUsable(entry)) return entry.socket
      entry.socket.destroy()
    }
    return undefined
  }

  #sweep(): void {
    for (const [app, idle] of this.#idle) {
      const kept = idle.filter(isUsable)
      for (const entry of idle) if (!kept.includes(entry)) entry.socket.destroy()
      if (kept.length > 0) this.#idle.set(app, kept)
      else this.#idle.delete(app)
    }
    if (this.#idle.size > 0) return
    clearInterval(this.#sweeping)
    this.#sweeping = undefined
  }
}

/** The second argument is what node:http's Agent passes when a connection failed. */
type FailingRequest = Omit<ClientRequest, 'onSocket'> & { onSocket(socket: undefined, error: unknown): void }

/** node:http keeps the request of a connection here. */
type SocketOfRequest = Socket & { _httpMessage?: ClientRequest & { res?: { headers: Headers } } }
type Headers = Record<string, string | string[] | undefined>

const isUsable = ({ socket, since }: Idle): boolean => socket.writable && performance.now() - since < idleMs

/** The app closes idle connections within a second, which is too soon to reuse this one. */
function isShortLived({ res }: NonNullable<SocketOfRequest['_httpMessage']>): boolean {
  const said = res?.headers['keep-alive']
  const seconds = typeof said === 'string' ? /^timeout=(\d+)/.exec(said)?.[1] : undefined
  return seconds !== undefined && Number(seconds) <= 1
}
