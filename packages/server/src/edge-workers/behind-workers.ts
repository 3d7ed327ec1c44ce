// The main process's listener where edge workers stand before it: they take the connections, it gets what they relay.
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { Exchange } from '../edge/exchange.ts'
import { type Hosts, noHosts } from '../edge/hosts.ts'
import { sendPage } from '../edge/pages.ts'
import { Fault } from '../lib/fault.ts'
import { type Listener, type Parts, partOf, stopServer } from '../listener.ts'
import { receivedBy } from './relay.ts'
import { EdgeWorkers, type WorkersParts } from './workers.ts'

/** Of a socket's path, on all systems that have such. */
const longestPath = 100

export interface MainListener extends Listener {
  readonly workers: EdgeWorkers
}

export async function listenBehindWorkers(socketFile: string, parts: WorkersParts): Promise<MainListener> {
  if (Buffer.byteLength(socketFile) > longestPath)
    throw new Fault(
      'unavailable',
      `SVCD_DATA_DIR is too long for edge workers: ${socketFile} is no socket's name.`,
    )
  let served: { hosts: Hosts; parts: Partial<Parts> } | undefined
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, (req, res) => {
    const exchange = new Exchange(req, res, served?.hosts ?? noHosts, receivedBy(req))
    const part = served && partOf(served.parts, exchange)
    if (part) part(exchange)
    else sendPage(exchange, served ? 'unknownHost' : 'unavailable')
  })
  server.on('checkContinue', (req, res) => server.emit('request', req, res))
  // Left by a process that was killed; whoever runs on this directory is alone there.
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
      // They relay while they drain.
      await workers.stop()
      await stopServer(server, graceMs)
    },
  }
}
