// Creates the edge with its gate, forms and access log.
import { rateLimits } from '@svc/contract/rate-limits'
import type { Logger } from 'pino'
import { type Settings, trustedAddresses } from '../config.ts'
import { visitorsOf } from '../core/access/visitors.ts'
import type { Platform, Rows, Vault } from '../core/base/platform.ts'
import { spend } from '../core/base/rate-limit.ts'
import { scheduledRequests } from '../core/crons/signature.ts'
import { formIntakeOf } from '../core/forms/intake.ts'
import { RequestRecorder } from '../core/logs/request-recorder.ts'
import { siteReader } from '../core/projects/sites.ts'
import type { AccessLog } from '../core/stats/access.ts'
import { BufferedAccessLog, closedAccessLog, type OpenAccessLog } from '../core/stats/access-log.ts'
import type { ChartRecorder } from '../core/stats/chart-recorder.ts'
import { Counter } from '../core/stats/counter.ts'
import { Recorder } from '../core/stats/recorder.ts'
import { countAccess } from '../core/stats/request-metrics.ts'
import { saltsOf } from '../core/stats/salts.ts'
import { createEdge, type Edge } from '../edge/edge.ts'
import type { Exchange } from '../edge/exchange.ts'
import { createForms } from '../edge/forms/forms.ts'
import { createGate } from '../edge/gate/gate.ts'
import { clientAddress, countryFromProxy } from '../lib/client-address.ts'
import type { GeoIp } from '../ports/geo/port.ts'
import type { EdgeRows } from './edge-copies.ts'

interface EdgeOptions {
  accessLog: AccessLog
  geo: GeoIp
  rows: EdgeRows
  /** Called with a cache key that a visitor's request invalidated. */
  onInvalidated?: ((key: string) => void) | undefined
}

export function openEdge(
  platform: Platform,
  settings: Settings,
  { accessLog, geo, rows, onInvalidated }: EdgeOptions,
  log: Logger,
): Edge {
  const isTrusted = trustedAddresses(settings)
  const addressOf = clientAddress(isTrusted)
  const onError = (err: unknown, exchange?: Exchange) =>
    log.error({ err, request: exchange?.requestId }, 'the edge could not answer a request')
  const isScheduled = scheduledRequests(platform)
  const gate = createGate({
    visitors: visitorsOf(platform),
    isScheduled,
    clock: platform.clock,
    key: platform.visitKey,
    secure: settings.publicScheme === 'https',
    dashboard: platform.urls.dashboard,
    clientAddress: addressOf,
  })
  const forms = createForms({
    intake: formIntakeOf(platform),
    clientAddress: addressOf,
    countryOf: async exchange => {
      const { countryHeader } = settings
      const { headers } = exchange.req
      const said = countryHeader === undefined ? undefined : String(headers[countryHeader] ?? '')
      return (
        countryFromProxy(exchange.peer.address, said, isTrusted) ?? (await geo.country(addressOf(exchange)))
      )
    },
    onError,
  })
  return createEdge({
    log: accessLog,
    sites: siteReader(rows.source),
    keptSites: rows.kept && siteReader(rows.kept),
    changes: platform.store.changes,
    packs: platform.packs,
    clock: platform.clock,
    gate,
    isScheduled,
    isForPicture: ({ req, hostname }) => platform.pictureMark.isOn(req.headers, hostname),
    countGuess: guessCounter(platform, onError),
    apps: platform.apps,
    onEvicted: (key, count) => platform.evictions.notify(key, count),
    ...(onInvalidated && { onInvalidated }),
    isTrusted,
    settings: {
      sitesInMemory: settings.sitesInMemory,
      memoryBytes: settings.filesInMemoryBytes,
      cacheBytes: settings.appCacheBytes,
      skewMs: settings.skewHours * 3_600_000,
      appTimeouts: { answer: settings.appAnswerSeconds * 1000, idle: settings.appSilenceSeconds * 1000 },
      appConcurrency: { perApp: settings.appMaxRequests, inAll: settings.maxConnections },
    },
    forms,
    onError,
  })
}

/** If the database does not answer, only the counts of this process apply. */
const guessCounter =
  (platform: Rows, onError: (error: unknown) => void) =>
  async (key: string): Promise<boolean> => {
    try {
      return (await spend(platform, `basic-auth ${key}`, rateLimits.basicAuth)).remaining === 0
    } catch (error) {
      onError(error)
      return false
    }
  }

export function openAccessLog(
  platform: Vault & Pick<Platform, 'analytics' | 'requestCounts'>,
  settings: Settings,
  { geo, charts }: { geo: GeoIp; charts: ChartRecorder },
  log: Logger,
): OpenAccessLog {
  if (!platform.analytics) return closedAccessLog
  const { store, keyring } = platform
  const onLoss = (requests: number) => log.error({ requests }, 'requests were served but not counted')
  const counter = new Counter({
    geo,
    saltOf: saltsOf(store.db, keyring.current.derive('visitors of a day')),
    isTrusted: trustedAddresses(settings),
    countryHeader: settings.countryHeader,
  })
  return new BufferedAccessLog({
    counter,
    recorder: new Recorder(store, onLoss),
    requests: new RequestRecorder(store),
    metrics: {
      add: access => {
        countAccess(platform.requestCounts, access)
        charts.add(access)
      },
    },
    onLoss,
    onError: err => log.warn({ err }, 'cannot write traffic to the stats, trying again'),
  })
}
