// Bounds how many builds a project keeps. Every step is a small transaction of its own, so the work can stop anywhere and go
// on with the next sweep.
import { usageKeptMs } from '../../store/billing/usage.ts'
import {
  deleteOldBuilds,
  oldBuildsWithLog,
  oldestKept,
  projectsWithMoreBuilds,
  replaceBuildLog,
} from '../../store/builds/retention.ts'
import type { Platform } from '../base/platform.ts'

/** As docs/builds.md says. Per project, besides the builds whose deployments exist. */
const keptBuilds = 200
const atOnce = 100

const logNote = `The log of this build is no longer kept: the project has ${keptBuilds} newer builds, and its deployment does not exist.\n`

/** Removes the logs of old builds. Removes the builds themselves when the usage of their month is no longer counted. */
export async function removeOldBuilds(
  { store, clock }: Pick<Platform, 'store'> & { clock: Pick<Platform['clock'], 'now'> },
  kept = keptBuilds,
): Promise<void> {
  for (const projectId of await projectsWithMoreBuilds(store.db, kept)) {
    const oldest = await oldestKept(store.db, projectId, kept)
    if (!oldest) continue
    const startedBefore = clock.now() - usageKeptMs
    while ((await deleteOldBuilds(store.db, oldest, startedBefore, atOnce)) === atOnce);
    for (let ids: string[]; ; ) {
      ids = await oldBuildsWithLog(store.db, oldest, logNote, atOnce)
      for (const id of ids) await store.transact(tx => replaceBuildLog(tx, id, logNote))
      if (ids.length < atOnce) break
    }
  }
}
