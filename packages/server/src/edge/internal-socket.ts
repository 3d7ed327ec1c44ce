// A unix socket for requests that the platform itself makes to its sites, such as scheduled jobs. These requests reach the
// edge directly, not through a public URL. Only the user that runs svcd can open the directory of the socket.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Edge } from './edge.ts'
import { Exchange } from './exchange.ts'
import type { Hosts } from './hosts.ts'

export interface InternalSocket {
  readonly socketPath: string
  /** Passes all further requests to the edge. Until this is called, every request is answered with 503. */
  dispatchTo(edge: Pick<Edge, 'handle'>, hosts: Hosts): void
  close(): void
}

/** The peer of every request on this socket. Apps see its address in X-Forwarded-For. */
const peer = { address: '127.0.0.1', secure: false }

/** The longest path of the socket, in bytes. Every supported system allows this length. */
const longestPath = 100

export async function openInternalSocket(dataDir: string): Promise<InternalSocket> {
  let handle: RequestListener = (_req, res) => res.writeHead(503).end()
  const server = createServer((req, res) => handle(req, res))
  const { socketPath, remove } = privatePath(dataDir)
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
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

/** Returns a path in the data directory, or in a new temporary directory if the first path is too long for a socket. */
function privatePath(dataDir: string): { socketPath: string; remove(): void } {
  const dir = path.join(dataDir, 'inner')
  const socketPath = path.join(dir, `${process.pid}.sock`)
  if (Buffer.byteLength(socketPath) > longestPath) {
    const own = mkdtempSync(path.join(tmpdir(), 'svc-inner-'))
    return { socketPath: path.join(own, 's'), remove: () => rmSync(own, { recursive: true, force: true }) }
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  // An earlier process with the same pid may have been killed and have left its socket at this path.
  const remove = () => rmSync(socketPath, { force: true })
  remove()
  return { socketPath, remove }
}
