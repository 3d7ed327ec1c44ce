// A TCP proxy whose port is known before the servers behind it start. It passes connections to its targets in turn.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class Gateway {
  readonly port: number
  /** The ports that connections are passed to, in turn. */
  targets: number[] = []
  /** Connections whose first bytes match are closed. */
  refuse: RegExp | undefined
  /** Connections whose first bytes match stay open without an answer. */
  hold: RegExp | undefined
  held = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #turn = 0

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('connection', socket => this.#lead(socket))
  }

  static async open(): Promise<Gateway> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Gateway(server)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #lead(socket: Socket): void {
    this.#keep(socket)
    socket.once('data', first => {
      if (this.hold?.test(first.toString('latin1'))) return void this.held++
      const port = this.targets[this.#turn++ % this.targets.length]
      if (port === undefined || this.refuse?.test(first.toString('latin1'))) return void socket.destroy()
      const onward = connect(port, '127.0.0.1')
      this.#keep(onward)
      onward.write(first)
      socket.pipe(onward).pipe(socket)
      socket.once('close', () => onward.destroy())
      onward.once('close', () => socket.destroy())
    })
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket))
  }
}
