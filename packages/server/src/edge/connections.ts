// Limits the number of open connections, in total and from one network, so that one client cannot use them all.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../lib/client-address.ts'

export interface ConnectionLimits {
  inAll: number
  /** From one IPv4 address or one IPv6 /64 network. 0 means no limit. */
  perNetwork: number
  /** Trusted proxies are exempt, because they carry the connections of many clients. */
  isExempt(address: string): boolean
}

export class Connections {
  readonly #bounds: ConnectionLimits
  readonly #perNetwork = new Map<string, number>()
  #open = 0

  constructor(bounds: ConnectionLimits) {
    this.#bounds = bounds
  }

  get open(): number {
    return this.#open
  }

  /** Counts the connection until it closes. Returns false and closes it if a limit is reached. */
  admit(socket: Socket): boolean {
    const { inAll, perNetwork } = this.#bounds
    const network = this.#networkOf(socket.remoteAddress)
    const count = network === undefined ? 0 : (this.#perNetwork.get(network) ?? 0)
    if (this.#open >= inAll || (network !== undefined && count >= perNetwork)) {
      socket.destroy()
      return false
    }
    this.#open++
    if (network !== undefined) this.#perNetwork.set(network, count + 1)
    socket.once('close', () => this.#forget(network))
    return true
  }

  /** `undefined` if no per-network limit applies. */
  #networkOf(address = ''): string | undefined {
    const { perNetwork, isExempt } = this.#bounds
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
    return perNetwork === 0 || isExempt(plain) ? undefined : networkOf(plain)
  }

  #forget(network: string | undefined): void {
    this.#open--
    if (network === undefined) return
    const left = this.#perNetwork.get(network)! - 1
    if (left === 0) this.#perNetwork.delete(network)
    else this.#perNetwork.set(network, left)
  }
}

/** Applies the limits before the server's own `connection` listeners run. */
export function guardConnections(server: Server, connections: Connections): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  /** A declined upgrade emits its socket a second time. It is counted once. */
  const known = new WeakSet<Socket>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!known.has(socket) && !connections.admit(socket)) return
    known.add(socket)
    for (const listener of listeners) listener.call(server, socket)
  })
}
