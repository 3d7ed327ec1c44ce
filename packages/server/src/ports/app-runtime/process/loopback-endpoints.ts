// Places for apps without a sandbox: ports of the machine's loopback address, which all programs on the machine share.
import { randomInt } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { acceptingHost, accepts } from '../accepting.ts'
import type { Place, Places } from './place.ts'
import { portsOf } from './process-tree.ts'
import { wallAdvice } from './sandbox.ts'

/** Below the ports that the system gives to outgoing connections, so that none of these takes one away. */
const first = 20_000
const last = 31_999
/** Of which each finds a free port, unless some program listens on nearly all of them. */
const attempts = 200

const hosts = ['127.0.0.1', '::1']
const isLinux = process.platform === 'linux'

export class OpenPlaces implements Places {
  readonly words = 'no sandbox'
  readonly warnings = [
    `server apps run WITHOUT a sandbox, can read everything that this program can, and reach each other's ports: run only code that you trust, or ${wallAdvice}`,
  ]
  readonly #taken = new Set<number>()
  readonly #isFree: (port: number) => Promise<boolean>

  constructor(isFree = isFreePort) {
    this.#isFree = isFree
  }

  async take(): Promise<Place | undefined> {
    const port = await this.#freePort()
    return port === undefined ? undefined : this.#placeAt(port)
  }

  prepare(): void {
    // Ports need no preparation.
  }

  async close(): Promise<void> {
    // Nothing is held while no app runs.
  }

  #placeAt(port: number): Place {
    const address = { host: '127.0.0.1', port }
    return {
      address,
      walls: undefined,
      lost: new Promise(() => undefined),
      connect: async () => connect({ ...address, noDelay: true }),
      async untilAccepted(child, signal) {
        address.host = await acceptingHost(hosts, port, signal)
        // Whoever listens could be anyone on this machine.
        return !isLinux || portsOf(child.pids).has(port)
      },
      async isTaken() {
        for (const host of hosts) if (await accepts(host, port)) return true
        return false
      },
      otherPorts: child => (isLinux ? [...portsOf(child.pids)].filter(other => other !== port) : []),
      leave: async () => void this.#taken.delete(port),
    }
  }

  /** Nobody listens on it at this moment. */
  async #freePort(): Promise<number | undefined> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const port = randomInt(first, last + 1)
      if (this.#taken.has(port)) continue
      this.#taken.add(port)
      if (await this.#isFree(port)) return port
      this.#taken.delete(port)
    }
    return undefined
  }
}

/** On every address, since apps choose theirs. */
async function isFreePort(port: number): Promise<boolean> {
  const server = createServer()
  const listening = await new Promise<boolean>(resolve => {
    server.once('error', () => resolve(false))
    server.listen({ port, exclusive: true }, () => resolve(true))
  })
  if (listening) await new Promise(resolve => server.close(resolve))
  return listening
}
