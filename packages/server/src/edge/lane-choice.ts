// Decides which HTTP/2 connections get the lane: those for public sites. The lane never answers requests to the API and to
// protected sites, and would only slow them down.
import type { TLSSocket } from 'node:tls'
import type { Edge } from './edge.ts'
import type { Hosts } from './hosts.ts'

/**
 * Calls `use` with whether the connection should get the lane, as soon as that is known. `use` is not called if the
 * connection is closed by then.
 */
export function wantsLane(
  socket: TLSSocket,
  { hosts, edge }: { hosts: Hosts; edge: Pick<Edge, 'mayUseLane'> },
  use: (isForLane: boolean) => void,
): void {
  // The host that the client named in TLS (SNI). Its first request is nearly always for the same host.
  const { servername } = socket as { servername?: string | false | null }
  const isForLane = servername ? edge.mayUseLane(hosts.find(servername)) : false
  if (typeof isForLane === 'boolean') {
    use(isForLane)
    return
  }
  const drop = () => undefined // An error destroys the socket. `proceed` checks for that.
  const proceed = (is: boolean) => {
    socket.off('error', drop)
    if (!socket.destroyed) use(is)
  }
  socket.on('error', drop)
  // If the site cannot be looked up, the request fails with the same error and reports it.
  isForLane.then(proceed, () => proceed(false))
}
