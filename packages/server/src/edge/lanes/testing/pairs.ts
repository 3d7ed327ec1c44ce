// Both ends of real connections, with and without TLS.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { onTestFinished } from 'vitest'
import { certificate } from './certificate.ts'

/** A client and the server's end of its connection, which has not been read from. */
interface Pair {
  client: Socket
  socket: Socket
}

/** They are closed when the test is over. */
export const transports: [name: string, open: (options?: ConnectionOptions) => Promise<Pair>][] = [
  ['TCP', () => openPair(createServer(), 'connection', port => connect({ port, noDelay: true }))],
  [
    'TLS',
    async options =>
      openPair(createTlsServer(await certificate()), 'secureConnection', port =>
        connectTls({ port, rejectUnauthorized: false, ...options }),
      ),
  ],
]

async function openPair(server: Server, event: string, dial: (port: number) => Socket): Promise<Pair> {
  const accepted = once(server, event)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const client = dial((server.address() as AddressInfo).port)
  client.on('error', () => undefined)
  const [socket] = (await accepted) as [Socket]
  onTestFinished(() => {
    client.destroy()
    socket.destroy()
    server.close()
  })
  return { client, socket }
}
