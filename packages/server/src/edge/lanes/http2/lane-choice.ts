// Which HTTP/2 connections get the lane: those that were opened for a site of files. Requests to apps, to the API and to
// protected sites are never answered by the lane, and pass through it more slowly than without it.
import type { TLSSocket } from 'node:tls'
import type { Edge } from '../../edge.ts'
import type { Hosts } from '../../hosts.ts'

/** Calls `use` at once if it is known what the site is, else when it is. A connection that is gone by then is dropped. */
export function wantsLane(
  socket: TLSSocket,
  { hosts, edge }: { hosts: Hosts; edge: Pick<Edge, 'isPublicStaticSite'> },
  use: (isForFiles: boolean) => void,
): void {
  // The name that the client asked for in TLS. Its first request is for the same host, save for oddities.
  const { servername } = socket as { servername?: string | false | null }
  const isForFiles = servername ? edge.isPublicStaticSite(hosts.find(servername)) : false
  if (typeof isForFiles === 'boolean') {
    use(isForFiles)
    return
  }
  const drop = () => undefined // It is destroyed then, which is looked at below.
  const proceed = (is: boolean) => {
    socket.off('error', drop)
    if (!socket.destroyed) use(is)
  }
  socket.on('error', drop)
  // A failure to look it up is told to the visitor, when the request fails in the same way.
  isForFiles.then(proceed, () => proceed(false))
}
