// A unix socket for requests that the platform itself makes to its sites, such as scheduled jobs. They go straight to the
// edge, whatever public URL the sites have. Only svcd's user can open the directory of the socket.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Edge } from './edge.ts'
import { Exchange } from './exchange.ts'
import type { Hosts } from './hosts.ts'

export interface InternalSocket {
  readonly socketPath: string
  /** Every request is answered with 503 until this is called. */
  dispatchTo(edge: Pick<Edge, 'handle'>, hosts: Hosts): void
  close(): void
}

/** Apps see this address in X-Forwarded-For. */
const peer = { address: '127.0.0.1', secure: false }

/** The longest path of a unix socket, in bytes, that every system allows. */
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

/** A path in the data directory, or in a temporary directory if that path is too long for a socket. */
function privatePath(dataDir: string): { socketPath: string; remove(): void } {
  const dir = path.join(dataDir, 'inner')
  const socketPath = path.join(dir, `${process.pid}.sock`)
  if (Buffer.byteLength(socketPath) > longestPath) {
    const own = mkdtempSync(path.join(tmpdir(), 'svc-inner-'))
    return { socketPath: path.join(own, 's'), remove: () => rmSync(own, { recursive: true, force: true }) }
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  // A process that was killed leaves its socket behind.
  const remove = () => rmSync(socketPath, { force: true })
  remove()
  return { socketPath, remove }
}
