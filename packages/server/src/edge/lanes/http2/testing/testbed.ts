// Starts the same edge behind two HTTP/2 servers, for tests: one with the lane, one with node:http2 alone. Most tests use them without
// TLS, which would take most of the time.

import type { AddressInfo, Socket } from 'node:net'
import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { Exchange } from '../../../exchange.ts'
import { type Http2Timeouts, http2Connections } from '../../../https/http2-server.ts'
import { sendPage } from '../../../pages.ts'
import { type FileTree, startTestbed } from '../../../testbed.ts'
import { refusalOf } from '../../../well-formed.ts'
import type { FileSource } from '../../sources.ts'
import { certificate } from '../../testing/certificate.ts'

export const host = 'shop.example.test'

const files: FileTree = {
  'index.html': '<h1>shop</h1>',
  'empty.txt': '',
  'small.txt': 'small',
  'one-frame.txt': 'x'.repeat(16_384),
  'two-frames.txt': 'y'.repeat(16_385),
  'large.txt': 'z'.repeat(90_000),
  'larger.txt': 'w'.repeat(300_000),
  // Too large for the memory.
  'stored.txt': Array.from({ length: 50_000 }, (_, line) => `${line}\n`)
    .join('')
    .padEnd(310_000, 's'),
  'docs/index.html': 'docs',
}
export const hotPaths = [
  '/',
  '/empty.txt',
  '/small.txt',
  '/one-frame.txt',
  '/two-frames.txt',
  '/large.txt',
  '/larger.txt',
  '/stored.txt',
]

export const encodings = ['identity', 'gzip', 'gzip, br', '*']

export type LaneTestbed = Awaited<ReturnType<typeof startLaneTestbed>>

const patient: Http2Timeouts = { keepAlive: 60_000, idle: 60_000, request: 60_000 }

export async function startLaneTestbed(
  timeouts: Partial<Http2Timeouts> = {},
  more: FileTree = {},
  hasTls = false,
) {
  const bed = await startTestbed({ fastLanes: false, memoryFileBytes: 305_000 })
  const { edge, hosts } = bed
  const deployment = await bed.deploy('shop', { ...files, ...more })
  const etags: Record<string, string> = {}
  for (const path of [...hotPaths, '/docs/'])
    for (const encoding of encodings)
      for (const _ of [1, 2]) {
        const { headers } = await bed.ask('shop', path, { headers: { 'accept-encoding': encoding } })
        etags[path] = String(headers.etag)
      }
  /** How many requests node:http2 got, and how many the lane answered. */
  const counts = { node: 0, lane: 0 }
  const connections = http2Connections(
    (req, res, peer) => {
      counts.node++
      const exchange = new Exchange(req, res, hosts, { peer })
      exchange.isStrictTransport = true
      const refusal = refusalOf(exchange)
      if (refusal === undefined) edge.handle(exchange)
      else sendPage(exchange, refusal)
    },
    { headerBytes: 16 * 1024, timeouts: { ...patient, ...timeouts } },
  )
  const hot: FileSource = {
    find: request => edge.findHot(request, hosts.find(request.host)),
    findStored: request => edge.findStored(request, hosts.find(request.host)),
    count: (...counted) => {
      counts.lane++
      edge.countHot(...(counted as Parameters<typeof edge.countHot>))
    },
  }
  const listening = async (server: Server): Promise<Server> => {
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    return server
  }
  const open = (lane: FileSource | undefined): Promise<Server> =>
    listening(
      createServer({ noDelay: true }, socket =>
        connections.accept(socket as Socket as TLSSocket, lane && { files: lane }),
      ),
    )
  const openSecure = async (lane: FileSource | undefined): Promise<Server> =>
    listening(
      createTlsServer({ ...(await certificate()), ALPNProtocols: ['h2'], noDelay: true }, socket =>
        connections.accept(socket, lane && { files: lane }),
      ),
    )
  const servers = { lane: await open(hot), node: await open(undefined) }
  const secureServers = hasTls ? { lane: await openSecure(hot), node: await openSecure(undefined) } : servers
  const portOf = (server: Server) => (server.address() as AddressInfo).port
  return {
    bed,
    deployment,
    counts,
    etags,
    openConnections: async (kind: 'lane' | 'node' = 'lane') => {
      const counts = [...new Set([servers[kind], secureServers[kind]])].map(connectionsOf)
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    },
    ports: { lane: portOf(servers.lane), node: portOf(servers.node) },
    /** The same as `ports` without `hasTls`. */
    securePorts: { lane: portOf(secureServers.lane), node: portOf(secureServers.node) },
    async stop(graceMs = 0) {
      await connections.stop(graceMs)
      for (const server of new Set([...Object.values(servers), ...Object.values(secureServers)]))
        await new Promise(done => server.close(done))
      await bed.stop()
    },
  }
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
