// The listener of the main process when edge workers run. The workers accept the connections and relay to the main process
// every request that is not for a site.
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { Exchange } from '../edge/exchange.ts'
import { type Hosts, noHosts } from '../edge/hosts.ts'
import { sendPage } from '../edge/pages.ts'
import { Fault } from '../lib/fault.ts'
import { type Listener, type Parts, partOf, stopServer } from '../listener.ts'
import { receivedBy } from './relay.ts'
import { EdgeWorkers, type WorkersParts } from './workers.ts'

/** The longest path of a unix socket, in bytes, that every system allows. */
const longestPath = 100

interface MainListener extends Listener {
  readonly workers: EdgeWorkers
}

/** Whether edge workers can reach the main process by this path. */
export const isReachable = (socketFile: string): boolean => Buffer.byteLength(socketFile) <= longestPath

export async function listenBehindWorkers(socketFile: string, parts: WorkersParts): Promise<MainListener> {
  if (!isReachable(socketFile))
    throw new Fault(
      'unavailable',
      `SVCD_DATA_DIR is too long for edge workers: the path ${socketFile} has more than ${longestPath} bytes. Set a shorter directory, or SVCD_EDGE_WORKERS=0.`,
    )
  let served: { hosts: Hosts; parts: Partial<Parts> } | undefined
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, (req, res) => {
    const exchange = new Exchange(req, res, served?.hosts ?? noHosts, receivedBy(req))
    const part = served && partOf(served.parts, exchange)
    if (part) part(exchange)
    else sendPage(exchange, served ? 'unknownHost' : 'unavailable')
  })
  server.on('checkContinue', (req, res) => server.emit('request', req, res))
  // A process that was killed leaves its socket behind. The lock on the data directory keeps a second svcd out.
  rmSync(socketFile, { force: true })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketFile, resolve))
  const workers = await EdgeWorkers.start(parts).catch(async error => {
    await stopServer(server, 0)
    throw error
  })
  return {
    workers,
    port: workers.port,
    tlsPort: workers.tlsPort,
    dispatchTo({ hosts, parts }) {
      served = { hosts, parts }
    },
    async stop(graceMs) {
      // The workers still relay requests while they drain, so they stop first.
      await workers.stop()
      await stopServer(server, graceMs)
    },
  }
}
