// Endpoints for apps without a sandbox: ports of the machine's loopback address, which all programs on the machine share.
import { randomInt } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { acceptingHost, accepts } from '../accepting.ts'
import type { Endpoint, Endpoints } from './endpoint.ts'
import { portsOf } from './process-tree.ts'
import { sandboxAdvice } from './sandbox.ts'

/** These ports are below the range from which operating systems pick ports for outgoing connections. */
const first = 20_000
const last = 31_999
/** With so many random picks a free port is found, unless nearly all ports are in use. */
const attempts = 200

const hosts = ['127.0.0.1', '::1']
const isLinux = process.platform === 'linux'

export class LoopbackEndpoints implements Endpoints {
  readonly description = 'no sandbox'
  readonly warnings = [
    `server apps run WITHOUT a sandbox, can read everything that this program can, and reach each other's ports: run only code that you trust, or ${sandboxAdvice()}`,
  ]
  readonly problems = []
  readonly #taken = new Set<number>()
  readonly #isFree: (port: number) => Promise<boolean>

  constructor(isFree = isFreePort) {
    this.#isFree = isFree
  }

  async allocate(): Promise<Endpoint | undefined> {
    const port = await this.#freePort()
    return port === undefined ? undefined : this.#endpointAt(port)
  }

  prepare(): void {
    // Ports need no preparation.
  }

  async close(): Promise<void> {
    // There is nothing to close: a port is bound by its app alone.
  }

  #endpointAt(port: number): Endpoint {
    const address = { host: '127.0.0.1', port }
    return {
      address,
      isolation: undefined,
      lost: new Promise(() => undefined),
      connect: async () => connect({ ...address, noDelay: true }),
      async untilAccepted(child, signal) {
        address.host = await acceptingHost(hosts, port, signal)
        // Any program on this machine may listen on the port, so check that the app does. Only Linux tells.
        return !isLinux || portsOf(child.pids).has(port)
      },
      async isTaken() {
        for (const host of hosts) if (await accepts(host, port)) return true
        return false
      },
      otherPorts: child => (isLinux ? [...portsOf(child.pids)].filter(other => other !== port) : []),
      release: async () => void this.#taken.delete(port),
    }
  }

  /** A random port on which no program listens at this moment. */
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

/** Checks all addresses of the machine, since the app chooses on which one it listens. */
async function isFreePort(port: number): Promise<boolean> {
  const server = createServer()
  const listening = await new Promise<boolean>(resolve => {
    server.on('error', () => resolve(false))
    server.listen({ port, exclusive: true }, () => resolve(true))
  })
  if (listening) await new Promise(resolve => server.close(resolve))
  return listening
}
