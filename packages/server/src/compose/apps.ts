// Server apps: how they are reached, and which driver runs them.
import { connect, isIP } from 'node:net'
import path from 'node:path'
import type { Logger } from 'pino'
import { type Settings, trustedAddresses } from '../config.ts'
import type { Connect } from '../core/apps/apps.ts'
import { AppDirectory } from '../core/apps/directory.ts'
import type { RunningLimits } from '../core/apps/running-limits.ts'
import { answerLogRequests } from '../core/logs/log-requests.ts'
import { sweepLogs } from '../core/logs/logs.ts'
import type { Platform } from '../core/platform/platform.ts'
import type { MainLink } from '../edge-workers/main-link.ts'
import { type Instance, lockRunner } from '../instance.ts'
import type { DockerSettings } from '../ports/app-runtime/docker/host.ts'
import type { AppRuntime } from '../ports/app-runtime/port.ts'
import { connectByRelay, relayConnections } from '../ports/app-runtime/relay.ts'

/** How long a request waits for a start, and how long an app may take for it. */
const startTimeoutMs = 30_000
/** Requests that may wait for the start of one app. */
const waitingAtMost = 1_000
/** Between SIGTERM and SIGKILL. */
const graceMs = 10_000
const sweepLogsEveryMs = 10 * 60_000

export function openApps(
  parts: Pick<Platform, 'store' | 'clock' | 'nodeId' | 'catalog'> & { connect: Connect },
  settings: Settings,
  runsApps: boolean,
  log: Logger,
): AppDirectory {
  const onError = (err: unknown) => log.error({ err }, 'the use of an app could not be noted')
  const idleMs = settings.idleSeconds * 1000
  return new AppDirectory(
    { ...parts, runsApps, bounds: boundsOf(parts, settings) },
    { startTimeoutMs, waitingAtMost, idleMs },
    onError,
  )
}

const boundsOf = (
  { clock, catalog }: Pick<Platform, 'clock' | 'catalog'>,
  settings: Settings,
): RunningLimits => ({
  plans: { clock, catalog, billing: settings.billing, readyApps: settings.readyApps },
  perNode: settings.maxApps,
})

/** How this process reaches apps: by its own runtime, through the main process, or through the runner's program. */
export function waysToApps(
  settings: Settings,
  runtime: AppRuntime | undefined,
  link: MainLink | undefined,
): Connect {
  if (runtime) return address => runtime.connect(address)
  const others = link ? link.connect : connectByRelay(appsSocket(settings))
  // Containers have addresses of their own.
  return async ({ host, port }) =>
    isIP(host) ? connect({ host, port, noDelay: true }) : others({ host, port })
}

const appsSocket = ({ dataDir }: Settings): string => path.join(dataDir, 'apps.sock')

/** Answers the function that stops it. */
export async function runApps(
  platform: Platform,
  settings: Settings,
  instance: Instance,
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
    files: new AppFiles(instance.appsDir, platform.packs),
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
  const stopRelay = isEdge
    ? async () => undefined
    : await relayConnections(appsSocket(settings), a => runtime.connect(a))
  const stopKeeping = keepLogs(platform, settings.appLogDays, log)
  const stopAnswering = answerLogRequests(platform, err =>
    log.error({ err }, 'another node could not be told what apps wrote here'),
  )
  return async () => {
    await stopRelay()
    await stopAnswering()
    await stopKeeping()
    await runner.stop()
    unlock()
  }
}

/** Now and then, what is kept of the apps' logs is held within its bounds. */
function keepLogs(platform: Platform, days: number, log: Logger): () => Promise<void> {
  let sweeping = Promise.resolve()
  const sweep = () => {
    sweeping = sweeping
      .then(() => sweepLogs(platform, days))
      .catch(err => log.error({ err }, 'old logs of apps could not be removed'))
  }
  const timer = setInterval(sweep, sweepLogsEveryMs)
  timer.unref()
  sweep()
  return async () => {
    clearInterval(timer)
    await sweeping
  }
}

/** `auto` takes the container engine where one answers and can run apps, and else says why not. */
export async function openRuntime(
  settings: Settings,
  { nodeId }: Instance,
  log: Logger,
): Promise<AppRuntime> {
  if (settings.runner === 'docker') return await openDocker(settings, nodeId)
  if (settings.runner === 'auto' && (await engineAnswers(settings.dockerHost))) {
    const docker = await openDocker(settings, nodeId)
    try {
      await docker.check()
      return docker
    } catch (err) {
      log.warn({ err }, 'a container engine is here but cannot run apps, so they run as processes')
    }
  }
  const { ProcessRuntime } = await import('../ports/app-runtime/process/runtime.ts')
  const { appOutbound: outbound, dataDir } = settings
  const isTrusted = trustedAddresses(settings)
  // An app that can use the loopback address could pass for a proxy there, and forge the address of any client.
  const unsandboxed = settings.unsandboxedApps && !['127.0.0.1', '::1'].some(isTrusted)
  return await ProcessRuntime.open(nodeId, {
    ...{ outbound, unsandboxed, hidden: [dataDir], webPorts: webPorts(settings) },
  })
}

/** On which this machine serves the public: svcd's own, and those of a proxy before it. */
export const webPorts = ({ port, tlsPort = 443 }: Settings): number[] =>
  [...new Set([80, 443, port, tlsPort])].filter(it => it > 0)

async function openDocker(settings: Settings, nodeId: string): Promise<AppRuntime> {
  const { DockerRuntime } = await import('../ports/app-runtime/docker/runtime.ts')
  return new DockerRuntime(dockerSettings(settings, nodeId, settings.runtimeImage))
}

export function dockerSettings(settings: Settings, nodeId: string, image: string): DockerSettings {
  const { dockerHost: host, dockerRuntime: runtime, dockerNetwork: network, appOutbound: outbound } = settings
  return { host, nodeId, image, runtime, network, outbound, webPorts: webPorts(settings) }
}

export async function engineAnswers(host: string): Promise<boolean> {
  const { Engine } = await import('../ports/app-runtime/docker/engine.ts')
  return await new Engine(host).answers()
}
