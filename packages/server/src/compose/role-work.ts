// Begins the work of the roles that only one svcd may do on a data directory: apps, builds, jobs, repairs.
import type { Logger } from 'pino'
import { recover } from '../core/platform/recovery.ts'
import { recordVersion } from '../store/platform/platform-version.ts'
import { keepDatabaseServer } from './app-databases.ts'
import { runApps } from './apps.ts'
import { runBuilder } from './builder.ts'

import type { Opened } from './opening.ts'
import { removeOrphansOfCrash } from './orphans.ts'
import { runScrub } from './scrub.ts'
import type { PlatformStart } from './start-options.ts'
import type { Stops } from './stops.ts'
import { runWorker } from './worker.ts'

/** What it has begun is stopped by `ends`. */
export async function runRoles(start: PlatformStart, opened: Opened, ends: Stops): Promise<void> {
  const { settings, log, link, has } = start
  const { platform, data, runtime, installs } = opened
  if (has('api')) await tendData(start, opened, ends)
  if (has('api')) {
    // Before the apps, which would not find their databases.
    const endDatabases = await keepDatabaseServer(platform, data, log)
    ends.add((_, { handsOver = false }) => endDatabases({ keepsServer: handsOver }))
  }
  if (runtime) {
    ends.add(await runApps(platform, settings, data, { runtime, isEdge: has('edge') }, log))
    opened.runtimeStarted()
  }
  if (has('builder')) ends.add(await runBuilder(platform, settings, data, installs, log))
  if (has('worker')) ends.add(runWorker(platform, settings, data, log))
  if (!link) ends.add(await runScrub(platform, settings, data, log))
}

async function tendData(
  { log }: PlatformStart,
  { platform, data, store, adopt, succession }: Opened,
  ends: Stops,
): Promise<void> {
  // An svcd before this one has left nothing to repair, and uploads may be under way here.
  if (!succession.hadFormer) {
    const recovered = await recover(platform)
    log[recovered.leftAlone ? 'warn' : 'info'](recovered, 'recovered')
  }
  await recordVersion(store.db, platform.version)
  ends.add(removeOrphansOfCrash(platform, data, log))
  ends.add(adoptRepositories(adopt, log))
}

/** Goes on while requests are answered. Returns the function that waits for its end. */
function adoptRepositories(adopt: () => Promise<number>, log: Logger): () => Promise<void> {
  const done = adopt().then(
    count => count > 0 && log.info({ count }, 'copied repositories to the storage'),
    err => log.error({ err }, 'could not copy repositories to the storage'),
  )
  return async () => void (await done)
}
