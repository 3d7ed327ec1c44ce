// Lets requests in: those of this node's listener, of other nodes, and the platform's own to its sites.
import { closedEdge, type Edge } from '../edge/edge.ts'
import { createHosts, type Hosts } from '../edge/hosts.ts'
import type { Parts } from '../listener.ts'
import type { InnerServed } from '../nodes/inner-listener.ts'
import { controlPlane } from './control-plane.ts'
import { healthAndPassing } from './health.ts'
import { openedAfter } from './late-start.ts'
import type { Opened } from './opening.ts'
import { relayedParts } from './process-listener.ts'
import { startServing } from './serving.ts'
import type { PlatformStart } from './start-options.ts'

/** Returns what other nodes may pass on to this one. */
export async function answerRequests(start: PlatformStart, opened: Opened): Promise<InnerServed> {
  const { settings, log, link, has } = start
  const { platform, lateStart, inner, runtime } = opened
  const hosts = createHosts(settings.platformDomain, settings.abuseContact)
  const ownParts =
    has('api') && !link ? openedAfter(lateStart, await controlPlane(platform, settings, log), log) : undefined
  const edge = await answerAtListener(start, opened, hosts, ownParts)
  inner?.dispatchTo(edge, hosts)
  return {
    hosts,
    parts: ownParts ?? {},
    ...(has('edge') && { edge }),
    ...(runtime && { connectToApp: opened.connectToOwn }),
  }
}

async function answerAtListener(
  { settings, log, link, stops, has }: PlatformStart,
  { platform, listening, nodes, edgeRows }: Opened,
  hosts: Hosts,
  ownParts: Partial<Parts> | undefined,
): Promise<Edge> {
  const elsewhere = nodes?.passing.edge ?? closedEdge
  if (!listening) return elsewhere
  const parts = link
    ? relayedParts(link, log)
    : (ownParts ?? healthAndPassing(platform, settings, nodes?.passing.toApi, log))
  const served = { ...listening, hosts, isEdge: has('edge'), rows: edgeRows, elsewhere }
  const serving = await startServing(platform, settings, served, parts, log)
  stops.add(serving.stop)
  // Streams never end by themselves, and the listener waits for answers when it stops.
  stops.add(() => platform.liveEvents.close())
  stops.add(() => platform.commands.here?.close())
  await listening.ready()
  return serving.edge
}
