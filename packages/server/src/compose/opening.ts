// The first half of a start: opens everything that the platform works with, from the listener to the `Platform` itself. No
// request is answered yet, and no work begins.
import type { NodeVersions } from '@svc/contract/project'
import type { AppDirectory } from '../core/apps/directory.ts'
import type { Connect } from '../core/base/apps.ts'
import { Evictions } from '../core/base/evictions.ts'
import type { Platform } from '../core/base/platform.ts'
import { RequestCounts } from '../core/base/request-counts.ts'
import { type DataDirectory, lockDataDirectory, openDataDirectory } from '../data-directory.ts'
import { type InternalSocket, openInternalSocket } from '../edge/internal-socket.ts'
import type { AppRuntime } from '../ports/app-runtime/port.ts'
import type { NodeInstall } from '../ports/app-runtime/process/node-installs.ts'
import { createMissingFiles } from '../threads/missing-files.ts'
import { createUnpacker } from '../threads/unpack.ts'
import { openDatabases } from './app-databases.ts'
import { openApps, openRuntime, waysToApps } from './apps.ts'
import { openCatalog, openPayments } from './billing.ts'
import { type OpenedDatabase, openDatabase } from './database.ts'
import { nodeVersionsOf, noNodeVersions, openNodeInstalls } from './node-versions.ts'
import type { Nodes } from './nodes.ts'
import { replaceableMailer, StoredOperatorSettings } from './operator-settings.ts'
import { platformOf } from './platform.ts'
import { openAppLogs, openGitHub, openMailer, openRepos, openStorage, packsSettings } from './ports.ts'
import { openProcessListener, type ProcessListener } from './process-listener.ts'
import type { PlatformStart } from './start-options.ts'
import { Succession } from './succession.ts'

export interface Opened extends OpenedDatabase, Reach {
  platform: Platform
  apps: AppDirectory
  data: DataDirectory
  succession: Succession
  /** Missing in a process that does not listen. */
  listening: ProcessListener | undefined
  port: number
  /** Requests of the platform to its own sites. */
  inner: InternalSocket | undefined
  /** Copies repositories to the storage that only this machine has. */
  adopt(): Promise<number>
}

export async function openPlatform(start: PlatformStart): Promise<Opened> {
  const { settings, log, clock, link, predecessor, canRestart = false, stops, has } = start
  const catalog = openCatalog(settings)
  const data = openDataDirectory(settings)
  const succession = new Succession(predecessor, () => {
    if (has('api')) stops.addLast(lockDataDirectory(settings))
  })
  const counted = { evictions: new Evictions(), requestCounts: new RequestCounts() }
  const listening = await openListening(start, counted)
  const port = listening?.listener.port ?? settings.port
  const database = await openDatabase(start, data, listening, succession)
  const { store, nodes, lateStart } = database
  const packs = await openStorage(settings, data, log)
  stops.add(() => packs.close())
  const { repos, adopt, close: closeRepos } = await openRepos(settings, data, store, clock)
  stops.add(closeRepos)
  const unpacker = createUnpacker(packsSettings(settings, data))
  stops.add(() => unpacker.close())
  const missing = createMissingFiles(packsSettings(settings, data))
  stops.add(() => missing.close())
  const onMailError = (err: unknown) => log.error({ err }, 'could not send an email')
  const mailer = replaceableMailer(await openMailer(settings, onMailError))
  stops.add(() => mailer.close())
  const logs = openAppLogs(settings, data, clock, log)
  stops.add(() => logs.close())
  const reach = await openReach(start, data, nodes, listening)
  const parts = { store, clock, catalog, nodeId: data.nodeId, connect: reach.connect }
  const apps = openApps(parts, settings, has('runner'), log)
  stops.add(() => apps.close())
  const callsSites = has('edge') || (nodes && has('worker'))
  const inner = callsSites && !link ? await openInternalSocket(settings.dataDir) : undefined
  stops.add(() => inner?.close())
  const operatorSettings = new StoredOperatorSettings(settings, { mailer, canRestart, log })
  const ports = {
    ...{ store, packs, repos, clock, mailer, logs, apps, catalog, ...counted },
    nodeVersions: reach.nodeVersions,
    settings: operatorSettings,
    databases: link ? undefined : await openDatabases(settings, data),
    unpack: unpacker.unpack,
    findMissing: missing.find,
    paymentsAt: await openPayments(settings),
    github: await openGitHub(settings),
    ...{ inner, lateStart },
  }
  const platform = platformOf(settings, data, ports, port)
  stops.add(operatorSettings.follow(platform))
  stops.add(() => platform.tokenUses.close())
  platform.aiUsage.onError = (err, lost) => log.error({ err, lost }, 'AI usage could not be written')
  stops.add(() => platform.aiUsage.close())
  return { ...database, ...reach, platform, apps, data, succession, listening, port, inner, adopt }
}

/** With a listener first, a port that is taken is known before anything is opened. */
async function openListening(
  start: PlatformStart,
  counted: Pick<Platform, 'evictions' | 'requestCounts'>,
): Promise<ProcessListener | undefined> {
  const { settings, listens, link, log, stops, has } = start
  const serves = has('edge') || has('api')
  if (!serves && !listens) return undefined
  const listenAt = serves ? settings : { ...settings, tlsPort: undefined }
  const listening = await openProcessListener(listenAt, { isEdge: has('edge'), ...counted, link, log })
  stops.add(() => listening.listener.stop(0))
  return listening
}

/** How this process runs apps and reaches them. */
interface Reach {
  /** Missing without the role `runner`. */
  runtime: AppRuntime | undefined
  installs: readonly NodeInstall[]
  nodeVersions: NodeVersions
  /** Connects to apps of this node. */
  connectToOwn: Connect
  /** Connects to apps of all nodes. */
  connect: Connect
  /** To be called when the runtime has begun its work: requests to apps wait for it. */
  runtimeStarted(): void
}

async function openReach(
  { settings, log, link, has }: PlatformStart,
  data: DataDirectory,
  nodes: Nodes | undefined,
  listening: ProcessListener | undefined,
): Promise<Reach> {
  const usesNode = has('api') || has('runner') || has('builder')
  const installs = usesNode ? await openNodeInstalls(settings, log) : []
  const runtime = has('runner') ? await openRuntime(settings, data, log, installs) : undefined
  const nodeVersions = usesNode ? await nodeVersionsOf(settings, installs, runtime) : noNodeVersions
  let runtimeStarted = (): void => undefined
  const started =
    runtime &&
    new Promise<AppRuntime>(resolve => {
      runtimeStarted = () => resolve(runtime)
    })
  const connectToOwn = waysToApps(settings, started, link)
  listening?.offerAppConnections(connectToOwn)
  const connect = nodes?.connect(connectToOwn) ?? connectToOwn
  return { runtime, installs, nodeVersions, connectToOwn, connect, runtimeStarted }
}
