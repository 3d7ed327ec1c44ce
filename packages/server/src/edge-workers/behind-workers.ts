// The listener of the main process when edge workers run. The workers accept the connections and relay to the main process
// every request that is not for a site.
import { readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { Exchange } from '../edge/exchange.ts'
import type { Hosts } from '../edge/hosts.ts'
import { sendPage } from '../edge/pages.ts'
import { receivedBy } from '../edge/relay.ts'
import { readUpgrade } from '../edge/upgrades.ts'
import { Fault } from '../lib/fault.ts'
import { type Listener, type Parts, partOf, type Sockets, stopServer } from '../listener.ts'
import { mainSocketPid } from './relay.ts'
import { EdgeWorkers, type WorkersParts } from './workers.ts'

/** The longest path of a unix socket, in bytes, that every system allows. */
const longestPath = 100

interface MainListener extends Listener {
  readonly workers: EdgeWorkers
}

/** Whether edge workers can reach the main process by this path. */
export const isReachable = (socketFile: string): boolean => Buffer.byteLength(socketFile) <= longestPath

export async function listenBehindWorkers(
  socketFile: string,
  parts: WorkersParts & { sockets: Sockets },
): Promise<MainListener> {
  if (!isReachable(socketFile))
    throw new Fault(
      'unavailable',
      `SVCD_DATA_DIR is too long for edge workers: the path ${socketFile} has more than ${longestPath} bytes. Set a shorter directory, or SVCD_EDGE_WORKERS=0.`,
    )
  let serve: (served: { hosts: Hosts; parts: Partial<Parts> }) => void = () => undefined
  const served = new Promise<Parameters<typeof serve>[0]>(resolve => {
    serve = resolve
  })
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, async (req, res) => {
    const { hosts, parts } = await served
    const exchange = new Exchange(req, res, hosts, receivedBy(req))
    const part = partOf(parts, exchange)
    if (part) part(exchange)
    else sendPage(exchange, 'unknownHost')
  })
  server.on('upgrade', async (req, socket, head) => {
    const upgrade = readUpgrade(server, req, socket, head)
    if (!upgrade) return
    const { hosts, parts } = await served
    const exchange = new Exchange(req, upgrade.res, hosts, receivedBy(req))
    const part = partOf(parts, exchange)
    if (part) part(exchange, upgrade)
    else upgrade.decline()
  })
  server.on('checkContinue', (req, res) => server.emit('request', req, res))
  const { sockets } = parts
  // Processes that were killed leave their sockets behind, and this one may have the number of one of them.
  rmSync(socketFile, { force: true })
  removeSocketsOfDead(path.dirname(socketFile))
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(socketFile, resolve))
  const workers = await EdgeWorkers.start(parts).catch(async error => {
    await stopServer(server, 0)
    throw error
  })
  return {
    workers,
    port: sockets.http.port,
    tlsPort: sockets.https?.port,
    async dispatchTo({ hosts, parts }) {
      serve({ hosts, parts })
    },
    async stop(graceMs, idleMs = 0) {
      // The workers still relay requests while they drain, so they stop first.
      await workers.stop(idleMs)
      await stopServer(server, graceMs)
      for (const socket of [sockets.http, sockets.https]) socket?.close()
    },
  }
}

function removeSocketsOfDead(dir: string): void {
  for (const name of readdirSync(dir)) {
    const pid = mainSocketPid(name)
    if (pid !== undefined && !isRunning(pid)) rmSync(path.join(dir, name), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
