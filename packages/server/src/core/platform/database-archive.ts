// How the archive of the projects' databases is doing, for `svcd doctor`, the operator area and the metrics.
import type { AdminOverview } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { minuteMs } from '@svc/contract/durations'
import type { ArchiveState } from '../../ports/databases/port.ts'
import { hasDatabases } from '../../store/databases/databases.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTimeOrNull } from '../base/times.ts'
import { ageInWords, CheckFailure } from './checks.ts'

type Parts = Rows & Pick<Platform, 'databases'>

/** svcd looks for what is new every few seconds. */
const lateMs = 15 * minuteMs

/** `undefined` if SVCD_APPS_POSTGRES_ARCHIVE is not set. */
export const archiveState = async ({
  databases,
}: Pick<Parts, 'databases'>): Promise<ArchiveState | undefined> => await databases?.archiveState?.()

/** Returns a line about the age of the archive, or throws an error if it fails or stands still. */
export async function checkDatabaseArchive(platform: Parts): Promise<string> {
  const state = await archiveState(platform)
  if (!state) return 'none (SVCD_APPS_POSTGRES_ARCHIVE is not set)'
  const { folder, archivedAt, copiedAt, failingSince, error, waitingBytes } = state
  const now = platform.clock.now()
  const reaches =
    archivedAt === null
      ? `there is nothing in ${folder} yet`
      : `${folder} has everything until ${ageInWords(now - archivedAt)} ago`
  const waits = waitingBytes > 0 ? `; ${formatBytes(waitingBytes)} of the log wait for it` : ''
  if (failingSince !== null)
    throw new CheckFailure(
      `the archive of the databases has failed for ${ageInWords(now - failingSince)}: ${error}; ${reaches}${waits}`,
      'Mend the folder; svcd then catches up by itself',
    )
  if (!(await hasDatabases(platform.store.db))) return 'no project has a database'
  if (archivedAt !== null && now - archivedAt > lateMs)
    throw new CheckFailure(`${reaches}${waits}`, 'Check that svcd runs, and that the folder answers')
  const copy =
    copiedAt === null
      ? 'the first copy of all databases is being made'
      : `the last copy of all databases is ${ageInWords(now - copiedAt)} old`
  return `${reaches}; ${copy}${waits}`
}

export async function archiveOverview(
  platform: Pick<Parts, 'databases'>,
): Promise<AdminOverview['database_archive']> {
  const state = await archiveState(platform)
  if (!state) return null
  return {
    folder: state.folder,
    archived_at: isoTimeOrNull(state.archivedAt),
    copied_at: isoTimeOrNull(state.copiedAt),
    waiting_bytes: state.waitingBytes,
    failures: state.failures,
    failing_since: isoTimeOrNull(state.failingSince),
    error: state.error,
  }
}
