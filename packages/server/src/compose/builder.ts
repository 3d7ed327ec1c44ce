// Starts the builder with its sandbox, cache and limits.
import path from 'node:path'
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import type { Platform } from '../core/base/platform.ts'
import { catchUpAll } from '../core/builds/pushes.ts'
import type { DataDirectory } from '../data-directory.ts'
import type { AppImages } from '../ports/app-images/port.ts'
import type { AppRuntime } from '../ports/app-runtime/port.ts'
import type { NodeInstall } from '../ports/app-runtime/process/node-installs.ts'
import { type BuildSandbox, noSandbox } from '../ports/build-sandbox/port.ts'
import { ownersAmong } from '../store/projects/projects.ts'
import { dockerSettings, engineAnswers, openImages, webPorts } from './apps.ts'

const processesAtMost = 1024

/** Returns the function that stops the builder. */
export async function runBuilder(
  platform: Platform,
  settings: Settings,
  data: DataDirectory,
  nodes: readonly NodeInstall[],
  log: Logger,
): Promise<() => Promise<void>> {
  const { Builder } = await import('../builder/builder.ts')
  const { CacheStore } = await import('../builder/cache/store.ts')
  const cacheBytes = settings.buildCacheBytes
  const { sandbox, driver } = await openSandbox(settings, data, nodes, log)
  const images = await imagesOf(settings, data, driver)
  const cacheDir = path.join(data.buildsDir, 'cache')
  const ownersOf = (projectIds: string[]) => ownersAmong(platform.store.db, projectIds)
  const cache = cacheBytes > 0 ? new CacheStore(cacheDir, cacheBytes, ownersOf) : undefined
  const builder = new Builder({
    ...{ platform, log, dir: data.buildsDir, sandbox, images, cache },
    atOnce: settings.buildsAtOnce,
    diskBytes: settings.buildDiskMb * 1024 * 1024,
    timeLimitMs: settings.buildMinutes * 60_000,
    limits: {
      memoryBytes: settings.buildMemoryMb * 1024 * 1024,
      cpus: settings.buildCpuPercent / 100,
      pids: processesAtMost,
    },
  })
  await catchUpAll(platform).catch(err => log.error({ err }, 'the builds of a push could not be queued'))
  await builder.start()
  return async () => {
    await builder.stop()
    await sandbox.close()
  }
}

/** Builds Dockerfiles, or says why not. */
async function imagesOf(
  settings: Settings,
  { nodeId }: DataDirectory,
  driver: AppRuntime['driver'],
): Promise<AppImages | string> {
  if (settings.dockerfiles === 'off') return 'it is switched off (SVCD_DOCKERFILES).'
  return (
    (await openImages(settings, nodeId, driver)) ??
    'it runs apps without a container engine. The operator can install one and set SVCD_RUNNER=docker.'
  )
}

/** Builds run in containers or in a bubblewrap sandbox, as apps do. */
async function openSandbox(
  settings: Settings,
  data: DataDirectory,
  nodes: readonly NodeInstall[],
  log: Logger,
): Promise<{ sandbox: BuildSandbox; driver: AppRuntime['driver'] }> {
  const { runner } = settings
  // In a swarm, builds run on this machine, with the engine that manages the swarm.
  if (runner === 'docker' || runner === 'swarm')
    return { sandbox: await openContainers(settings, data), driver: runner }
  if (runner === 'auto' && (await engineAnswers(settings.dockerHost)))
    try {
      const containers = await openContainers(settings, data)
      await containers.check()
      return { sandbox: containers, driver: 'docker' }
    } catch (err) {
      log.warn({ err }, 'the container engine cannot run builds, so they run as processes')
    }
  return { sandbox: await openBubblewrap(settings, data, nodes), driver: 'process' }
}

async function openContainers(settings: Settings, { nodeId }: DataDirectory): Promise<BuildSandbox> {
  const { ContainerBuilds } = await import('../ports/app-runtime/docker/builds.ts')
  return await ContainerBuilds.open(dockerSettings(settings, nodeId, settings.buildImage))
}

/** Without bubblewrap, builds run without a sandbox if the operator allows it, or not at all. */
async function openBubblewrap(
  settings: Settings,
  { nodeId }: DataDirectory,
  nodes: readonly NodeInstall[],
): Promise<BuildSandbox> {
  const { SandboxedBuilds } = await import('../ports/app-runtime/process/builds.ts')
  const { appOutbound: outbound, dataDir } = settings
  const sandboxed = await SandboxedBuilds.open(nodeId, {
    outbound,
    webPorts: webPorts(settings),
    hidden: [dataDir],
    nodes,
  })
  if (sandboxed) return sandboxed
  if (!settings.unsandboxedApps) return noSandbox
  const { PlainBuilds } = await import('../ports/build-sandbox/plain.ts')
  const { outsidePath } = await import('../ports/app-runtime/process/environment.ts')
  const { askedInstall } = await import('../ports/app-runtime/process/node-installs.ts')
  return new PlainBuilds(node => outsidePath(askedInstall(nodes, node)))
}
