// Puts the builder together: queue, sandbox, limits.
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import { catchUpAll } from '../core/builds/pushes.ts'
import type { Platform } from '../core/platform.ts'
import type { Instance } from '../instance.ts'

/** Answers the function that stops it. */
export async function runBuilder(
  platform: Platform,
  settings: Settings,
  instance: Instance,
  log: Logger,
): Promise<() => Promise<void>> {
  const { Builder } = await import('../builder/builder.ts')
  const { PlainBuilds } = await import('../ports/build-sandbox/plain.ts')
  const builder = new Builder({
    ...{ platform, log, dir: instance.buildsDir, sandbox: new PlainBuilds() },
    atOnce: settings.buildsAtOnce,
    timeLimitMs: settings.buildMinutes * 60_000,
    limits: {
      memoryBytes: settings.buildMemoryMb * 1024 * 1024,
      cpus: settings.buildCpuPercent / 100,
      pids: 512,
    },
  })
  await catchUpAll(platform)
  await builder.start()
  return () => builder.stop()
}
