// How many connections there may be at a time: in all, and from one network, so that nobody takes them from everyone.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../lib/client-address.ts'

export interface ConnectionLimits {
  inAll: number
  /** From one IPv4 address or one IPv6 network; 0 for no bound. */
  perNetwork: number
  /** For proxies, which bring the connections of many. */
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

  /** Counts it until it is closed; false, and it is closed at once, where there are too many. */
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

  /** Undefined for whom no bound of its own holds. */
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

/** Stands before whatever takes the connections of a server. */
export function guardConnections(server: Server, connections: Connections): void {
  const takers = server.listeners('connection') as ((socket: Socket) => void)[]
  /** One that asked for another protocol in vain comes again, and is still the same. */
  const known = new WeakSet<Socket>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!known.has(socket) && !connections.admit(socket)) return
    known.add(socket)
    for (const take of takers) take.call(server, socket)
  })
}
