// Ports that nobody listens on at the moment, for programs that have to know them before they start.
import { once } from 'node:events'
import { createServer } from 'node:net'

export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map(server => (server.address() as { port: number }).port)
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  return ports
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port!
}
