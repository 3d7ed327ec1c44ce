// Limits the number of open connections, in total and per network, so that one client cannot use up all connections.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../lib/client-address.ts'

export interface ConnectionLimits {
  inAll: number
  /** The limit for one IPv4 address or one IPv6 /64 network. 0 means no limit. */
  perNetwork: number
  /** Whether `perNetwork` does not apply to the address. Trusted proxies are exempt, because they serve many clients. */
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

  /** Counts the connection until it closes. If a limit is reached, closes the connection and returns false. */
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

  /** Returns the network of an address, or `undefined` if no per-network limit applies to it. */
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

/** Applies the limits to every new connection of the server, before the server's own `connection` listeners run. */
export function guardConnections(server: Server, connections: Connections): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  /** Sockets that were admitted. A declined upgrade emits its socket again, and the socket must not be counted twice. */
  const known = new WeakSet<Socket>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!known.has(socket) && !connections.admit(socket)) return
    known.add(socket)
    for (const listener of listeners) listener.call(server, socket)
  })
}
