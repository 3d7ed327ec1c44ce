// Connects server apps: chooses the runtime that runs them and the way in which this process reaches them.
import { connect, isIP } from 'node:net'
import path from 'node:path'
import type { Logger } from 'pino'
import { type Settings, trustedAddresses } from '../config.ts'
import { AppDirectory } from '../core/apps/directory.ts'
import type { RunningLimits } from '../core/apps/running-limits.ts'
import type { Connect } from '../core/base/apps.ts'
import type { Platform, Rows } from '../core/base/platform.ts'
import { answerLogRequests } from '../core/logs/log-requests.ts'
import { sweepLogs } from '../core/logs/logs.ts'
import { type DataDirectory, lockRunner } from '../data-directory.ts'
import type { MainLink } from '../edge-workers/main-link.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import type { AppImages } from '../ports/app-images/port.ts'
import type { DockerSettings } from '../ports/app-runtime/docker/host.ts'
import type { AppRuntime } from '../ports/app-runtime/port.ts'
import type { NodeInstall } from '../ports/app-runtime/process/node-installs.ts'
import { connectByRelay, relayConnections } from '../ports/app-runtime/relay.ts'
import { defaultLimits } from './default-limits.ts'

/** How long an app may take to start, and how long a request waits for it. */
const startTimeoutMs = 30_000
/** How many requests may wait for the start of one app. */
const waitingAtMost = 1_000
/** The time between SIGTERM and SIGKILL. */
const graceMs = 10_000
const sweepLogsEveryMs = 10 * 60_000

export function openApps(
  parts: Pick<Platform, 'store' | 'clock' | 'nodeId' | 'catalog'> & { connect: Connect },
  settings: Settings,
  runsApps: boolean,
  log: Logger,
): AppDirectory {
  const onError = (err: unknown) => log.error({ err }, 'could not record that an app is in use')
  const idleMs = settings.idleSeconds * 1000
  const byNode = settings.databaseUrl ? 'by node' : undefined
  const reachesOthers = settings.runner === 'swarm' ? 'directly' : byNode
  return new AppDirectory(
    { ...parts, runsApps, reachesOthers, bounds: boundsOf(parts, settings) },
    { startTimeoutMs, waitingAtMost, idleMs },
    onError,
  )
}

const boundsOf = (
  { clock, catalog }: Pick<Platform, 'clock' | 'catalog'>,
  settings: Settings,
): RunningLimits => ({
  plans: { clock, catalog, billing: settings.billing, defaultLimits: defaultLimits(settings) },
  perNode: settings.maxApps,
})

/** How this process connects to apps: with its own runtime, as soon as that has started, through the main process, or through the runner's process. */
export function waysToApps(
  settings: Settings,
  runtime: Promise<AppRuntime> | undefined,
  link: MainLink | undefined,
): Connect {
  if (runtime) return async address => (await runtime).connect(address)
  const others = link ? link.connect : connectByRelay(appsSocket(settings))
  // A container has an IP address that every process can reach.
  return async ({ host, port }) =>
    isIP(host) ? connect({ host, port, noDelay: true }) : others({ host, port })
}

const appsSocket = ({ dataDir }: Settings): string => path.join(dataDir, 'apps.sock')

/** Returns the function that stops the runner. */
export async function runApps(
  platform: Platform,
  settings: Settings,
  data: DataDirectory,
  { runtime, isEdge }: { runtime: AppRuntime; isEdge: boolean },
  log: Logger,
): Promise<() => Promise<void>> {
  const unlock = lockRunner(settings)
  const { Runner } = await import('../runner/runner.ts')
  const { AppFiles } = await import('../runner/app-files.ts')
  const { store, clock, nodeId, logs } = platform
  const runner = new Runner({
    ...{ platform, store, clock, nodeId, logs, log },
    runsApps: true,
    bounds: boundsOf(platform, settings),
    runtime,
    images: await openImages(settings, nodeId, runtime.driver),
    disks: platform.appDisks,
    files: new AppFiles(data.appsDir, platform.packs),
    limits: {
      memoryBytes: settings.appMemoryMb * 1024 * 1024,
      pids: settings.appPids,
      cpus: settings.appCpuPercent / 100,
    },
    readyWithinMs: startTimeoutMs,
    graceMs,
    idleMs: settings.idleSeconds * 1000,
  })
  await runner.start()
  platform.commands.here = runner.commands
  const stopRelay = isEdge
    ? async () => undefined
    : await relayConnections(appsSocket(settings), a => runtime.connect(a))
  const logSweeps = keepLogs(platform, settings.appLogDays, log)
  const stopAnswering = answerLogRequests(platform, err =>
    log.error({ err }, 'could not answer a request of another node for app logs'),
  )
  return async () => {
    platform.commands.here = undefined
    await stopRelay()
    await stopAnswering()
    await logSweeps.stop()
    await runner.stop()
    unlock()
  }
}

/** Removes old app logs at intervals. */
function keepLogs(platform: Rows & Pick<Platform, 'logs'>, days: number, log: Logger): ReconcileLoop {
  const loop = new ReconcileLoop({
    reconcile: () => sweepLogs(platform, days),
    onError: err => log.error({ err }, 'could not remove old app logs'),
    intervalMs: sweepLogsEveryMs,
  }).start()
  loop.wake()
  return loop
}

/** `auto` uses the container engine if it answers and can run apps. Otherwise it logs why not and runs apps as processes. */
export async function openRuntime(
  settings: Settings,
  { nodeId }: DataDirectory,
  log: Logger,
  nodes: readonly NodeInstall[] = [],
): Promise<AppRuntime> {
  if (settings.runner === 'docker') return await openDocker(settings, nodeId)
  if (settings.runner === 'swarm') return await openSwarm(settings, nodeId)
  if (settings.runner === 'auto' && (await engineAnswers(settings.dockerHost))) {
    const docker = await openDocker(settings, nodeId)
    try {
      await docker.check()
      return docker
    } catch (err) {
      log.warn({ err }, 'the container engine cannot run apps, so they run as processes')
    }
  }
  const { ProcessRuntime } = await import('../ports/app-runtime/process/runtime.ts')
  const { appOutbound: outbound, dataDir } = settings
  const isTrusted = trustedAddresses(settings)
  // If the loopback address is a trusted proxy, an app without a sandbox could connect from there and forge client addresses.
  const unsandboxed = settings.unsandboxedApps && !['127.0.0.1', '::1'].some(isTrusted)
  return await ProcessRuntime.open(nodeId, {
    ...{ outbound, unsandboxed, hidden: [dataDir], webPorts: webPorts(settings), nodes },
  })
}

/** The ports on which this machine serves the public: those of svcd, and those of a proxy in front of it. */
export const webPorts = ({ port, tlsPort = 443 }: Settings): number[] =>
  [...new Set([80, 443, port, tlsPort])].filter(it => it > 0)

async function openDocker(settings: Settings, nodeId: string): Promise<AppRuntime> {
  const { DockerRuntime } = await import('../ports/app-runtime/docker/runtime.ts')
  return new DockerRuntime(dockerSettings(settings, nodeId, settings.runtimeImage))
}

async function openSwarm(settings: Settings, nodeId: string): Promise<AppRuntime> {
  const { SwarmRuntime } = await import('../ports/app-runtime/swarm/runtime.ts')
  const { runtimeImage, swarmNetwork: network } = settings
  return new SwarmRuntime({ ...dockerSettings(settings, nodeId, runtimeImage), network })
}

/** Images of Dockerfiles need a container engine. `undefined` without one. */
export async function openImages(
  settings: Settings,
  nodeId: string,
  driver: AppRuntime['driver'],
): Promise<AppImages | undefined> {
  if (driver === 'process') return undefined
  const { DockerImages } = await import('../ports/app-runtime/docker/app-images.ts')
  return new DockerImages(dockerSettings(settings, nodeId, settings.runtimeImage))
}

export function dockerSettings(settings: Settings, nodeId: string, image: string): DockerSettings {
  const { dockerHost: host, dockerRuntime: runtime, dockerNetwork: network, appOutbound: outbound } = settings
  const { nodeImages } = settings
  return { host, nodeId, image, nodeImages, runtime, network, outbound, webPorts: webPorts(settings) }
}

export async function engineAnswers(host: string): Promise<boolean> {
  const { Engine } = await import('../ports/app-runtime/docker/engine.ts')
  return await new Engine(host).answers()
}
