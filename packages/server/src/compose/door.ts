// Opens the door of this process: it takes connections itself, for another process, or has others before it.
import type { Logger } from 'pino'
import { environmentOf, type Settings, trustedAddresses } from '../config.ts'
import type { Evictions } from '../core/apps/evictions.ts'
import type { Connect } from '../core/apps/reach.ts'
import { Connections } from '../edge/connections.ts'
import { listenBehindWorkers } from '../edge-workers/behind-workers.ts'
import { batchInvalidations } from '../edge-workers/invalidations.ts'
import type { MainLink } from '../edge-workers/main-link.ts'
import { mainSocket, relayTo } from '../edge-workers/relay.ts'
import { tellingStore } from '../edge-workers/telling-store.ts'
import { type Doors, defaultPatience, type Listener, listen, type Parts } from '../listener.ts'
import type { Store } from '../store/store.ts'

export interface Door {
  listener: Listener
  /** Whether this process serves sites. */
  servesSites: boolean
  /** The store, with changes that all processes of this node hear of. */
  share(store: Store): Store
  /** Tells the other processes of this node that a cached answer is worthless. */
  onInvalidated?(key: string): void
  /** Lets edge workers reach apps through this process. */
  offer(connect: Connect): void
  /** Resolves when all processes serve. */
  ready(): Promise<void>
}

interface DoorParts {
  isEdge: boolean
  link: MainLink | undefined
  evictions: Evictions
  log: Logger
}

export async function openDoor(
  settings: Settings,
  { isEdge, link, evictions, log }: DoorParts,
): Promise<Door> {
  const onError = (err: unknown) => log.error({ err }, 'the HTTPS listener is in trouble')
  const ready = async () => undefined
  const offer = () => undefined
  if (link) {
    const listener = await listen(doorsOf(settings, onError))
    link.listening(listener.port, listener.tlsPort)
    evictions.subscribe((key, count) => link.evicted(key, count))
    const share = (store: Store) => {
      link.onHear(changes => store.heard(changes))
      return tellingStore(store, changes => link.tell(changes))
    }
    const onInvalidated = batchInvalidations(changes => link.tell(changes))
    return { listener, servesSites: true, share, offer, onInvalidated, ready }
  }
  if (!isEdge || settings.edgeWorkers === 0) {
    const listener = await listen(doorsOf(settings, onError))
    return { listener, servesSites: isEdge, share: store => store, offer, ready }
  }
  const parts = { count: settings.edgeWorkers, environment: environmentOf(settings), log }
  const listener = await listenBehindWorkers(mainSocket(settings), parts)
  const { workers } = listener
  workers.onEvicted = (key, count) => evictions.tell(key, count)
  const share = (store: Store) => {
    workers.onTold = changes => store.heard(changes)
    return tellingStore(store, changes => workers.tell(changes))
  }
  const onInvalidated = batchInvalidations(changes => workers.tell(changes))
  return {
    ...{ listener, servesSites: false, share, onInvalidated },
    offer: connect => {
      workers.connect = connect
    },
    ready: () => workers.ready(),
  }
}

/** A worker's way to everything that is no site. */
export function relayedParts(link: MainLink, log: Logger): Parts {
  const relay = relayTo(link.socketFile, err => log.error({ err }, 'the main process does not answer'))
  return { api: relay, dashboard: relay, 'dashboard-redirect': relay, ai: relay, docs: relay, status: relay }
}

/** What clients may ask of the listeners. */
function doorsOf(settings: Settings, onError: (error: unknown) => void): Doors {
  const { host, port, tlsPort, maxConnections, maxConnectionsPerIp, headersSeconds } = settings
  const isTrusted = trustedAddresses(settings)
  return {
    host,
    port,
    tlsPort,
    fastLanes: settings.fastLanes,
    onError,
    headerBytes: settings.maxHeaderBytes,
    patience: {
      ...defaultPatience,
      headers: headersSeconds * 1000,
      request: Math.max(headersSeconds, settings.requestSeconds) * 1000,
      silence: settings.silenceSeconds * 1000,
      check: Math.min(defaultPatience.check, headersSeconds * 500),
    },
    connections: new Connections({
      inAll: maxConnections,
      perNetwork: maxConnectionsPerIp,
      isExempt: isTrusted,
    }),
  }
}
