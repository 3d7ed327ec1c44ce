// A connection to an app that a lane uses, for one request at a time. Its listeners stay on the socket between requests, because
// adding and removing them for each request takes longer than reading a short answer.
import type { Socket } from 'node:net'
import { type ConnectionUser, readDirectly } from '../lanes/lanes.ts'
import type { AppTimeouts } from './timeouts.ts'

interface LentParts {
  timeouts: AppTimeouts
  /** Called when a request is over, whether or not the connection is kept. */
  onLeave(): void
  /** Puts the connection back into the pool. */
  onKeep(connection: LentConnection, reuseMs: number | undefined): void
}

export class LentConnection {
  readonly socket: Socket
  readonly timeouts: AppTimeouts
  readonly #parts: LentParts
  readonly #readByEvents: () => void
  #user: ConnectionUser | undefined
  #notBusy: (() => void) | undefined

  /** `socket` must be idle. It does not keep the process alive: the client's connection does, while a request is under way. */
  constructor(socket: Socket, parts: LentParts) {
    this.socket = socket
    this.timeouts = parts.timeouts
    this.#parts = parts
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd)
    socket.on('timeout', this.#onTimeout)
    this.#readByEvents = readDirectly(socket, this.#onData)
  }

  /** From now on, `user` gets the events of the connection. */
  use(user: ConnectionUser): void {
    this.#user = user
  }

  /** Calls `notBusy` when the current request is over. */
  whenLeft(notBusy: () => void): void {
    this.#notBusy = notBusy
  }

  /** Must be called when the request is over. It then no longer counts for the concurrency limits. */
  leave(): void {
    this.#user = undefined
    this.#parts.onLeave()
    this.#notBusy?.()
    this.#notBusy = undefined
  }

  /** Puts the connection back into the pool. Otherwise the lane closes it or releases it. `reuseMs` is from the Keep-Alive field. */
  keep(reuseMs: number | undefined): void {
    this.#parts.onKeep(this, reuseMs)
  }

  /** Removes the listeners, so that node:http can use the socket. */
  release(): Socket {
    const { socket } = this
    this.#user = undefined
    this.#readByEvents()
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd)
    return socket.off('timeout', this.#onTimeout).ref()
  }

  /** Bytes that come between two requests would be read as the answer to the next one. */
  readonly #onData = (chunk: Buffer): void => {
    if (this.#user === undefined) this.socket.destroy()
    else this.#user.onData(chunk)
  }
  readonly #onEnd = (): void => this.#user?.onEnd()
  readonly #onTimeout = (): void => this.#user?.onTimeout()
}
