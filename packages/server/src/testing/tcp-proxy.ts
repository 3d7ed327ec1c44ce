// A proxy in front of a server, for tests of a network that fails: connections can be reset, refused, or stand still.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class TcpProxy {
  readonly #server: Server
  readonly #pairs = new Set<[Socket, Socket]>()
  #isFrozen = false
  #isRefusing = false

  private constructor(target: URL) {
    this.#server = createServer(client => {
      if (this.#isRefusing) {
        client.resetAndDestroy()
        return
      }
      const server = connect(Number(target.port), target.hostname)
      const pair: [Socket, Socket] = [client, server]
      this.#pairs.add(pair)
      client.pipe(server).pipe(client)
      for (const socket of pair) {
        socket.on('error', () => undefined)
        socket.on('close', () => {
          this.#pairs.delete(pair)
          for (const other of pair) other.destroy()
        })
      }
      if (this.#isFrozen) hold(pair)
    })
  }

  static async before(url: string): Promise<{ proxy: TcpProxy; url: string }> {
    const proxied = new URL(url)
    const proxy = new TcpProxy(new URL(url))
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    proxied.hostname = '127.0.0.1'
    proxied.port = String((proxy.#server.address() as AddressInfo).port)
    return { proxy, url: proxied.href }
  }

  /** No byte passes any more, and nobody is told. New connections are frozen, too, unless `onlyThese`. */
  freeze({ onlyThese = false } = {}): void {
    this.#isFrozen = !onlyThese
    for (const pair of this.#pairs) hold(pair)
  }

  thaw(): void {
    this.#isFrozen = false
    for (const [client, server] of this.#pairs) client.pipe(server).pipe(client)
  }

  reset(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy()
  }

  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing
    if (isRefusing) this.reset()
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function hold(pair: [Socket, Socket]): void {
  for (const socket of pair) {
    socket.unpipe()
    socket.pause()
  }
}
