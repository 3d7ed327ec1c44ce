// A door for requests that the platform itself makes to its sites: on this machine alone, and straight to the edge,
// whichever address and scheme visitors come by.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Edge } from './edge.ts'
import { type Hosts, requestedHost } from './hosts.ts'

export interface InnerDoor {
  readonly host: string
  readonly port: number
  /** Until this is called every request is answered with 503. */
  serve(edge: Pick<Edge, 'handle'>, hosts: Hosts): void
  close(): void
}

const host = '127.0.0.1'

export async function openInnerDoor(): Promise<InnerDoor> {
  let handle: RequestListener = (_req, res) => res.writeHead(503).end()
  const server = createServer((req, res) => handle(req, res))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  return {
    host,
    port: (server.address() as AddressInfo).port,
    serve(edge, hosts) {
      handle = (req, res) => edge.handle(req, res, hosts.find(requestedHost(req)))
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
