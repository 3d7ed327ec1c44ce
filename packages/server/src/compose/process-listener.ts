// Opens the listener of this process. Without edge workers the main process listens itself. With edge workers they listen,
// and the main process receives what they relay.
import type { Logger } from 'pino'
import { environmentWith, everySetting, type Settings, trustedAddresses } from '../config.ts'
import type { Connect } from '../core/base/apps.ts'
import type { Evictions } from '../core/base/evictions.ts'
import type { RequestCounts } from '../core/base/request-counts.ts'
import { Connections } from '../edge/connections.ts'
import { isReachable, listenBehindWorkers } from '../edge-workers/behind-workers.ts'
import { broadcastingStore } from '../edge-workers/broadcasting-store.ts'
import { batchInvalidations } from '../edge-workers/invalidations.ts'
import type { MainLink } from '../edge-workers/main-link.ts'
import { mainSocket, relayTo } from '../edge-workers/relay.ts'
import { availableMachine, workersFor } from '../edge-workers/worker-count.ts'
import {
  defaultTimeouts,
  type Listener,
  type ListenOptions,
  listen,
  type Part,
  type Parts,
  type Sockets,
} from '../listener.ts'
import type { Store } from '../store/store.ts'
import { openSockets, socketNames } from './sockets.ts'

export interface ProcessListener {
  listener: Listener
  /** What the next svcd needs to listen in place of this one. */
  sockets: Sockets
  /** Whether this process serves sites. */
  servesSites: boolean
  /** Wraps the store so that all processes of this node receive its changes. */
  shareChanges(store: Store): Store
  /** Announces an invalidated cache key to the other processes of this node. */
  onInvalidated?(key: string): void
  /** Lets edge workers connect to apps through this process. */
  offerAppConnections(connect: Connect): void
  /** Resolves when all processes serve requests. */
  ready(): Promise<void>
}

interface ProcessListenerParts {
  isEdge: boolean
  link: MainLink | undefined
  evictions: Evictions
  requestCounts: RequestCounts
  log: Logger
}

export async function openProcessListener(
  settings: Settings,
  { isEdge, link, evictions, requestCounts, log }: ProcessListenerParts,
): Promise<ProcessListener> {
  const onError = (err: unknown) => log.error({ err }, 'the HTTPS listener failed')
  const offerAppConnections = () => undefined
  const sockets = await openSockets(settings, log)
  if (link) {
    const listener = await listen({ ...listenOptionsOf(settings, onError), sockets })
    link.listening()
    evictions.subscribe((key, count) => link.evicted(key, count))
    requestCounts.tellTo(counts => link.counted(counts))
    const shareChanges = (store: Store) => {
      link.onChanges(changes => store.receiveChanges(changes))
      return broadcastingStore(store, changes => link.broadcast(changes))
    }
    const onInvalidated = batchInvalidations(changes => link.broadcast(changes))
    const ready = async () => undefined
    return { listener, sockets, servesSites: true, shareChanges, offerAppConnections, onInvalidated, ready }
  }
  const count = isEdge ? workerCount(settings) : 0
  const tellCount = () => {
    if (isEdge && settings.edgeWorkers === 'auto')
      log.info({ workers: count, ...availableMachine() }, 'edge workers by SVCD_EDGE_WORKERS=auto')
  }
  if (count === 0) {
    const listener = await listen({ ...listenOptionsOf(settings, onError), sockets })
    const ready = async () => tellCount()
    return {
      listener,
      sockets,
      servesSites: isEdge,
      shareChanges: store => store,
      offerAppConnections,
      ready,
    }
  }
  const environment = environmentWith(socketNames(sockets), everySetting(settings))
  const listener = await listenBehindWorkers(ownSocket(settings), { count, environment, sockets, log })
  const { workers } = listener
  workers.onEvicted = (key, count) => evictions.notify(key, count)
  workers.onCounted = (name, counts) => requestCounts.setWorker(name, counts)
  const shareChanges = (store: Store) => {
    workers.onChanges = changes => store.receiveChanges(changes)
    return broadcastingStore(store, changes => workers.broadcast(changes))
  }
  const onInvalidated = batchInvalidations(changes => workers.broadcast(changes))
  return {
    ...{ listener, sockets, servesSites: false, shareChanges, onInvalidated },
    offerAppConnections: connect => {
      workers.connect = connect
    },
    async ready() {
      await workers.ready()
      tellCount()
    },
  }
}

const ownSocket = (settings: Settings): string => mainSocket(settings, process.pid)

/** How many edge workers run. */
function workerCount(settings: Settings): number {
  if (settings.edgeWorkers !== 'auto') return settings.edgeWorkers
  // `auto` must not keep svcd from starting.
  return isReachable(ownSocket(settings)) ? workersFor(availableMachine()) : 0
}

/** In an edge worker: relays every request that is not for a site to the main process. */
export function relayedParts(link: MainLink, log: Logger): Parts {
  return allParts(relayTo(link.socketFile, err => log.error({ err }, 'the main process does not answer')))
}

export const allParts = (part: Part): Parts => ({
  api: part,
  dashboard: part,
  'dashboard-redirect': part,
  ai: part,
  docs: part,
  status: part,
})

/** Ports, timeouts and limits of the listeners, from the settings. */
function listenOptionsOf(settings: Settings, onError: (error: unknown) => void): ListenOptions {
  const { host, port, tlsPort, maxConnections, maxConnectionsPerIp, headersSeconds } = settings
  const isTrusted = trustedAddresses(settings)
  return {
    host,
    port,
    tlsPort,
    fastLanes: settings.fastLanes,
    onError,
    headerBytes: settings.maxHeaderBytes,
    timeouts: {
      ...defaultTimeouts,
      headers: headersSeconds * 1000,
      request: Math.max(headersSeconds, settings.requestSeconds) * 1000,
      idle: settings.silenceSeconds * 1000,
      check: Math.min(defaultTimeouts.check, headersSeconds * 500),
    },
    isProxy: isTrusted,
    connections: new Connections({
      inAll: maxConnections,
      perNetwork: maxConnectionsPerIp,
      isExempt: isTrusted,
    }),
  }
}
