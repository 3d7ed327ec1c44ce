// How backups are doing, for `svcd doctor`, the operator area and the metrics.
import type { AdminOverview } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { hourMs } from '@svc/contract/durations'
import { findBackup } from '../../store/platform/backups.ts'
import type { BackupRow } from '../../store/tables.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTimeOrNull } from '../base/times.ts'
import { nextRun } from '../crons/schedule.ts'
import { ageInWords, CheckFailure } from './checks.ts'

type Parts = Rows & Pick<Platform, 'backups'>

/** `undefined` if SVCD_BACKUP_URL is not set, or nothing is known about it yet. */
export const backupRow = async ({ store, backups }: Omit<Parts, 'clock'>): Promise<BackupRow | undefined> =>
  backups && (await findBackup(store.db, backups.place))

/** Returns a line about the last good backup, or throws an error if it is too old or the last one failed. */
export async function checkBackups(platform: Parts): Promise<string> {
  const { backups, clock } = platform
  if (!backups) return 'none by themselves (SVCD_BACKUP_URL is not set)'
  const { place, schedule, recipients } = backups
  const [row, now] = [await backupRow(platform), clock.now()]
  const last =
    row?.good_at == null
      ? `there is no good backup at ${place} yet`
      : `the last good backup is ${ageInWords(now - Number(row.good_at))} old`
  if (row && Number(row.failures) > 0)
    throw new CheckFailure(
      `the last backup failed: ${row.error}; ${last}`,
      "Run 'svcd backup run' on the server to see what is wrong",
    )
  if (row?.good_at == null) return last
  if (schedule !== undefined && isLate(schedule, Number(row.good_at), now))
    throw new CheckFailure(
      `${last}, and SVCD_BACKUP_SCHEDULE asks for newer ones`,
      "Check that a svcd with the role 'worker' runs, and run 'svcd backup run'",
    )
  const damaged = Number(row.damaged) > 0 ? `; ${row.damaged} parts of it were damaged before` : ''
  const keys = recipients.length > 0 ? `, for ${recipients.join(', ')}` : ''
  return `${last}: ${row.good_id}, ${formatBytes(Number(row.good_bytes))}, ${formatBytes(Number(row.sent_bytes))} sent, ${row.snapshots} kept at ${place}${keys}${damaged}`
}

/** One time may be missed, and a backup may take an hour. */
function isLate(schedule: string, goodAt: number, now: number): boolean {
  const next = nextRun(schedule, goodAt)
  const afterNext = next === null ? null : nextRun(schedule, next)
  return afterNext !== null && afterNext + hourMs < now
}

export async function backupState(platform: Omit<Parts, 'clock'>): Promise<AdminOverview['backups']> {
  const { backups } = platform
  if (!backups) return null
  const row = await backupRow(platform)
  return {
    place: backups.place,
    schedule: backups.schedule ?? null,
    recipients: backups.recipients,
    next_run_at: backups.schedule === undefined ? null : isoTimeOrNull(row?.next_run_at ?? null),
    last_good_at: isoTimeOrNull(row?.good_at ?? null),
    last_good_id: row?.good_id ?? null,
    bytes: Number(row?.good_bytes ?? 0),
    sent_bytes: Number(row?.sent_bytes ?? 0),
    kept: Number(row?.snapshots ?? 0),
    damaged: Number(row?.damaged ?? 0),
    failures: Number(row?.failures ?? 0),
    failing_since: isoTimeOrNull(row?.failed_at ?? null),
    error: row?.error ?? null,
  }
}
