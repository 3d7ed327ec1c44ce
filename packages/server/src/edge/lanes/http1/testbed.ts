// A lane before a bare node:http server, for tests.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { onTestFinished } from 'vitest'
import { Authority } from '../../../testing/authority.ts'
import type { HotFile } from '../../hot-files.ts'
import type { HotAnswer } from '../sources.ts'
import { Http1Lane } from './lane.ts'

export const request = (method: string, path: string, ...fields: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: shop.example.test', ...fields, '', ''].join('\r\n')
export const get = (path: string, ...fields: string[]) => request('GET', path, ...fields)

/** A lane for which every file is hot, before a server that answers everything else by `handle`. */
export async function startLane(
  bytes: number,
  handle: RequestListener = (_req, res) => void res.end('by node:http'),
  settings: ConstructorParameters<typeof Http1Lane>[2] = {},
) {
  const server = createServer({ keepAliveTimeout: 10_000 })
  const body = Buffer.alloc(bytes)
  const headers = ['Content-Length', String(bytes)]
  const representation = { html: false, etag: '"a"', modified: 0 }
  const hot = { headers, unchangedHeaders: [], body, representation } as unknown as HotFile
  const counted: HotAnswer[] = []
  const asked: string[] = []
  const lane = new Http1Lane(
    server,
    {
      find: ({ target }) => (target.startsWith('/hot') ? hot : undefined),
      count: (_hot, _request, answer) => void counted.push(answer),
    },
    settings,
  )
  server.on('request', (req: IncomingMessage, res) => {
    asked.push(`${req.method} ${req.url}`)
    handle(req, res)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    lane.drain()
    lane.closeNow()
    server.close()
    server.closeAllConnections()
  })
  const dial = (): Socket => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    return socket
  }
  return { server, lane, port, counted, asked, dial }
}

/** Lets the connections of a TLS server go to `server`. Returns the port. */
export async function listenWithTls(server: Server): Promise<number> {
  const authority = await Authority.make()
  onTestFinished(() => authority.remove())
  const secure = createTlsServer(await authority.certificate('shop.example.test'), socket =>
    server.emit('connection', socket),
  )
  await new Promise<void>(done => secure.listen(0, '127.0.0.1', done))
  onTestFinished(() => void secure.close())
  return (secure.address() as AddressInfo).port
}
