// Takes the requests that the platform itself makes to its sites, and hands them straight to the edge, whichever address
// and scheme visitors come by. It is a unix socket in a directory that only svcd's user can open.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Edge } from './edge.ts'
import { Exchange } from './exchange.ts'
import type { Hosts } from './hosts.ts'

export interface InternalSocket {
  readonly socketPath: string
  /** Until this is called every request is answered with 503. */
  dispatchTo(edge: Pick<Edge, 'handle'>, hosts: Hosts): void
  close(): void
}

/** Apps read in X-Forwarded-For that the request comes from this machine. */
const peer = { address: '127.0.0.1', secure: false }

/** Of a socket's path, on all systems that have such. */
const longestPath = 100

export async function openInternalSocket(dataDir: string): Promise<InternalSocket> {
  let handle: RequestListener = (_req, res) => res.writeHead(503).end()
  const server = createServer((req, res) => handle(req, res))
  const { socketPath, remove } = privatePath(dataDir)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, resolve)
  })
  return {
    socketPath,
    dispatchTo(edge, hosts) {
      handle = (req, res) => edge.handle(new Exchange(req, res, hosts, { peer }))
    },
    close() {
      server.close()
      server.closeAllConnections()
      remove()
    },
  }
}

/** In the data directory, or in a directory of its own where that one's path is too long for a socket. */
function privatePath(dataDir: string): { socketPath: string; remove(): void } {
  const dir = path.join(dataDir, 'inner')
  const socketPath = path.join(dir, `${process.pid}.sock`)
  if (Buffer.byteLength(socketPath) > longestPath) {
    const own = mkdtempSync(path.join(tmpdir(), 'svc-inner-'))
    return { socketPath: path.join(own, 's'), remove: () => rmSync(own, { recursive: true, force: true }) }
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  // Left by a process that was killed.
  const remove = () => rmSync(socketPath, { force: true })
  remove()
  return { socketPath, remove }
}
