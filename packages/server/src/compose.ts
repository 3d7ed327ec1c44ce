// Starts the platform. Only this file and the folder `compose/` choose adapters and connect the roles.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openApps, openRuntime, runApps, waysToApps } from './compose/apps.ts'
import { openCatalog, openPayments } from './compose/billing.ts'
import { runBuilder } from './compose/builder.ts'
import { controlPlane } from './compose/control-plane.ts'
import { openEdgeRows, openFeedCursor } from './compose/edge-copies.ts'
import { healthAndPassing } from './compose/health.ts'
import { openedAfter, startWithoutDatabase } from './compose/late-start.ts'
import { nodeVersionsOf, noNodeVersions, openNodeInstalls } from './compose/node-versions.ts'
import { openNodes } from './compose/nodes.ts'
import { removeOrphansOfCrash } from './compose/orphans.ts'
import { platformOf } from './compose/platform.ts'
import {
  openAppLogs,
  openGitHub,
  openMailer,
  openRepos,
  openStorage,
  openStore,
  packsSettings,
} from './compose/ports.ts'
import { openProcessListener, relayedParts } from './compose/process-listener.ts'
import { runScrub } from './compose/scrub.ts'
import { startServing } from './compose/serving.ts'
import { runWorker } from './compose/worker.ts'
import type { Settings } from './config.ts'
import { Evictions } from './core/base/evictions.ts'
import type { Platform } from './core/base/platform.ts'
import { RequestCounts } from './core/base/request-counts.ts'
import type { Urls } from './core/base/urls.ts'
import { setupNeeded } from './core/identity/accounts.ts'
import { checkHealth } from './core/platform/health.ts'
import { requirePlatformKey } from './core/platform/key-check.ts'
import { recover } from './core/platform/recovery.ts'
import { lockDataDirectory, openDataDirectory } from './data-directory.ts'
import { closedEdge } from './edge/edge.ts'
import { createHosts } from './edge/hosts.ts'
import { openInternalSocket } from './edge/internal-socket.ts'
import type { MainLink } from './edge-workers/main-link.ts'
import { startCrons } from './jobs/crons.ts'
import { type AlarmClock, systemClock } from './lib/clock.ts'
import type { Sockets } from './listener.ts'
import type { AppRuntime } from './ports/app-runtime/port.ts'
import { hasLatest } from './store/migrate.ts'
import { recordVersion } from './store/platform/platform-version.ts'
import { createMissingFiles } from './threads/missing-files.ts'
import { createUnpacker } from './threads/unpack.ts'

export const roles = ['api', 'edge', 'runner', 'builder', 'worker'] as const
export type Role = (typeof roles)[number]

export interface RunningPlatform {
  readonly urls: Urls
  /** The port of the listener. Without a listener, the port from the settings, because URLs contain it. */
  readonly port: number
  /** Whether this process listens. */
  readonly listens: boolean
  /** The port of the HTTPS listener, if there is one. */
  readonly tlsPort: number | undefined
  readonly platform: Platform
  /** The URL for creating the first account. `undefined` if there is one already. */
  readonly setupLink: string | undefined
  /** Rejects if the database did not answer at the start, and this node cannot use it when it does. */
  readonly failure: Promise<never> | undefined
  /** The sockets of the listener, for the svcd that takes the place of this one. */
  readonly sockets: Sockets | undefined
  /** Connections without a request are closed after `idleMs` (default: 0), since the client may be sending one. */
  stop(idleMs?: number): Promise<void>
}

/** The svcd whose place this one takes. */
export interface Predecessor {
  /** Resolves when it has ended its jobs, builds and apps, and answered its last requests. */
  release(because: 'serving' | 'migrating'): Promise<void>
}

interface StartOptions {
  log: Logger
  roles?: readonly Role[]
  /** Whether it listens also without the roles `api` and `edge`: for /health, and to pass requests on to other nodes. */
  listens?: boolean | undefined
  clock?: AlarmClock
  /** Set in an edge worker: the link to the main process. */
  link?: MainLink
  /** Set if another svcd serves the same data until this one is ready. */
  predecessor?: Predecessor | undefined
}

const healthyWithinMs = 30_000
const healthPauseMs = 200

type Stop = (idleMs: number) => Promise<unknown> | unknown

export async function startPlatform(settings: Settings, options: StartOptions): Promise<RunningPlatform> {
  const { log, clock = systemClock, roles: chosen = roles, listens, link, predecessor } = options
  // Everything that was started is stopped in reverse order, also when a later step fails.
  const stops: Stop[] = []
  const stop = (idleMs = 0): Promise<void> => stopAll(stops, idleMs)
  try {
    const catalog = openCatalog(settings)
    const data = openDataDirectory(settings)
    const lock = () => chosen.includes('api') && stops.unshift(lockDataDirectory(settings))
    if (!predecessor) lock()
    const isEdge = chosen.includes('edge')
    const evictions = new Evictions()
    const requestCounts = new RequestCounts()
    const counted = { link, evictions, requestCounts, log }
    const serves = isEdge || chosen.includes('api')
    const listenAt = serves ? settings : { ...settings, tlsPort: undefined }
    const listening =
      serves || listens ? await openProcessListener(listenAt, { isEdge, ...counted }) : undefined
    stops.push(() => listening?.listener.stop(0))
    const port = listening?.listener.port ?? settings.port
    const cursor = openFeedCursor(settings, data, { isEdge, isMain: !link })
    stops.push(() => cursor?.close())
    const opened = await openStore(settings, data, log, cursor)
    stops.push(() => opened.close())
    const store = listening?.shareChanges(opened) ?? opened
    const nodes = openNodes(settings, data, store, log)
    const edgeRows = openEdgeRows(store, data, isEdge, log)
    stops.push(() => edgeRows.close())
    let former = predecessor
    const takeOver = async (because: 'serving' | 'migrating'): Promise<void> => {
      await former?.release(because)
      if (former) lock()
      former = undefined
    }
    const prepare = async () => {
      // The predecessor does not know the new tables.
      if (former && !(await hasLatest(store.db, store.engine))) await takeOver('migrating')
      const migrations = await store.migrate()
      if (migrations.length > 0 && migrations[0] !== '001_skeleton')
        log.info({ migrations }, 'migrated the database')
      await requirePlatformKey({ store, keyring: data.keyring })
    }
    // Without the database, the predecessor goes on.
    const lateStart = await startWithoutDatabase(prepare, edgeRows.hasCopies && !predecessor, log)
    const packs = await openStorage(settings, data, log)
    stops.push(() => packs.close())
    const { repos, adopt, close: closeRepos } = await openRepos(settings, data, store, clock)
    stops.push(closeRepos)
    const unpacker = createUnpacker(packsSettings(settings, data))
    stops.push(() => unpacker.close())
    const missing = createMissingFiles(packsSettings(settings, data))
    stops.push(() => missing.close())
    const mailer = await openMailer(settings, log)
    stops.push(() => mailer.close())
    const logs = openAppLogs(settings, data, clock, log)
    stops.push(() => logs.close())
    const runsApps = chosen.includes('runner')
    const usesNode = chosen.some(role => role === 'api' || role === 'runner' || role === 'builder')
    const installs = usesNode ? await openNodeInstalls(settings, log) : []
    const runtime = runsApps ? await openRuntime(settings, data, log, installs) : undefined
    const nodeVersions = usesNode ? await nodeVersionsOf(settings, installs, runtime) : noNodeVersions
    const running = promised<AppRuntime>()
    const ownConnect = waysToApps(settings, runtime && running.promise, link)
    listening?.offerAppConnections(ownConnect)
    const connect = nodes?.connect(ownConnect) ?? ownConnect
    const apps = openApps({ store, clock, catalog, nodeId: data.nodeId, connect }, settings, runsApps, log)
    stops.push(() => apps.close())
    const ports = {
      store,
      packs,
      repos,
      clock,
      mailer,
      logs,
      apps,
      evictions,
      requestCounts,
      catalog,
      nodeVersions,
      unpack: unpacker.unpack,
      findMissing: missing.find,
    }
    const paymentsAt = await openPayments(settings)
    const github = await openGitHub(settings)
    const callsSites = isEdge || (nodes && chosen.includes('worker'))
    const inner = callsSites && !link ? await openInternalSocket(settings.dataDir) : undefined
    stops.push(() => inner?.close())
    const platform = platformOf(settings, data, { ...ports, inner, paymentsAt, github, lateStart }, port)
    stops.push(() => platform.tokenUses.close())
    platform.aiUsage.onError = (err, lost) => log.error({ err, lost }, 'AI usage could not be written')
    stops.push(() => platform.aiUsage.close())
    // What only one svcd may do on a data directory.
    const ends: Stop[] = []
    const runRoles = async () => {
      if (chosen.includes('api')) {
        // A predecessor leaves nothing to repair, and uploads may be under way here.
        if (!predecessor) {
          const recovered = await recover(platform)
          log[recovered.leftAlone ? 'warn' : 'info'](recovered, 'recovered')
        }
        await recordVersion(store.db, platform.version)
        ends.push(removeOrphansOfCrash(platform, data, log))
        ends.push(adoptRepositories(adopt, log))
      }
      if (runtime) {
        ends.push(await runApps(platform, settings, data, { runtime, isEdge }, log))
        running.resolve(runtime)
      }
      if (chosen.includes('builder')) ends.push(await runBuilder(platform, settings, data, installs, log))
      if (chosen.includes('worker')) ends.push(runWorker(platform, settings, data, log))
      if (!link) ends.push(await runScrub(platform, settings, data, log))
    }
    // Apps of this node answer their last requests before other nodes lose their connections to them.
    stops.push(() => nodes?.close())
    stops.push(idleMs => stopAll(ends, idleMs))
    if (!lateStart && !former) await runRoles()
    // From here on this svcd takes requests. If it has migrated, the version before it cannot come back without losing what they change.
    if (predecessor && !former) await untilHealthy(platform)
    const ownParts =
      chosen.includes('api') && !link
        ? openedAfter(lateStart, await controlPlane(platform, settings, log), log)
        : undefined
    const hosts = createHosts(settings.platformDomain, settings.abuseContact)
    const elsewhere = nodes?.passing.edge ?? closedEdge
    let edge = elsewhere
    if (listening) {
      const parts = link
        ? relayedParts(link, log)
        : (ownParts ?? healthAndPassing(platform, settings, nodes?.passing.toApi, log))
      const served = { ...listening, hosts, isEdge, rows: edgeRows, elsewhere }
      const serving = await startServing(platform, settings, served, parts, log)
      edge = serving.edge
      stops.push(serving.stop)
      // Streams never end by themselves, and the listener waits for answers when it stops.
      stops.push(() => platform.liveEvents.close())
      await listening.ready()
    }
    inner?.dispatchTo(edge, hosts)
    if (former) {
      await takeOver('serving')
      await runRoles()
    }
    const join = async () => {
      const taken = {
        hosts,
        parts: ownParts ?? {},
        ...(isEdge && { edge }),
        ...(runtime && { connectToApp: ownConnect }),
      }
      if (!link) await nodes?.join(taken, chosen)
    }
    stops.push(() => nodes?.leave())
    if (!lateStart) await join()
    stops.push(() => apps.stopStarts())
    const crons: Stop[] = []
    stops.push(idleMs => stopAll(crons, idleMs))
    const runCrons = () => {
      if (chosen.includes('worker')) crons.push(startCrons(platform, log).stop)
    }
    if (!lateStart) runCrons()
    lateStart?.whenAnswered(async () => {
      await runRoles()
      await join()
    }, runCrons)
    // Nothing begins any more while the rest stops.
    stops.push(() => lateStart?.stop())
    const offersSetup = !lateStart && chosen.includes('api') && (await setupNeeded(platform))
    const setupLink = offersSetup
      ? `${platform.urls.dashboard}/setup#token=${platform.setupToken.reveal()}`
      : undefined
    const tlsPort = listening?.listener.tlsPort
    return {
      urls: platform.urls,
      port,
      listens: listening !== undefined,
      tlsPort,
      platform,
      setupLink,
      sockets: listening?.sockets,
      failure: lateStart?.failure,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function stopAll(stops: Stop[], idleMs: number): Promise<void> {
  for (const end of stops.splice(0).reverse()) await end(idleMs)
}

/** A single check may fail only because the machine is busy. */
async function untilHealthy(platform: Platform): Promise<void> {
  for (const deadline = Date.now() + healthyWithinMs; ; await sleep(healthPauseMs))
    try {
      return await checkHealth(platform)
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
}

function promised<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>(done => {
    resolve = done
  })
  return { promise, resolve: value => resolve(value) }
}

/** Goes on while requests are answered. Returns the function that waits for its end. */
function adoptRepositories(adopt: () => Promise<number>, log: Logger): () => Promise<void> {
  const done = adopt().then(
    count => count > 0 && log.info({ count }, 'copied repositories to the storage'),
    err => log.error({ err }, 'could not copy repositories to the storage'),
  )
  return async () => void (await done)
}
