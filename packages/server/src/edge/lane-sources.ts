// Where the lanes find files and apps: in the edge, if the rules of transport let a lane answer.
import type { Edge } from './edge.ts'
import type { Hosts } from './hosts.ts'
import type { Transport } from './https/transport.ts'
import type { AppLaneSource, FileSource } from './lanes/lanes.ts'

interface LaneSourceParts {
  hosts: Hosts
  transport: Pick<Transport, 'mayLaneAnswer'>
  edge: Pick<Edge, 'findHot' | 'findStored' | 'countHot' | 'findApp' | 'countApp'>
}

export function laneSources({ hosts, transport, edge }: LaneSourceParts): {
  files: FileSource
  apps: AppLaneSource
} {
  return {
    files: {
      find: (request, isSecure) =>
        transport.mayLaneAnswer(request, isSecure)
          ? edge.findHot(request, hosts.find(request.host))
          : undefined,
      findStored: (request, isSecure) =>
        transport.mayLaneAnswer(request, isSecure)
          ? edge.findStored(request, hosts.find(request.host))
          : undefined,
      count: edge.countHot,
    },
    apps: {
      find: (head, peer) =>
        transport.mayLaneAnswer(head, peer.secure)
          ? edge.findApp(head, hosts.find(head.host), peer)
          : undefined,
      count: edge.countApp,
    },
  }
}
