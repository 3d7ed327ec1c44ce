// Times of waiting rows that are further ahead than svcd ever sets them. A clock that was ahead and was then corrected leaves
// such rows: work that would wait, and claims that would be held, until that time comes.
import { dayMs, hourMs } from '@svc/contract/durations'
import { sql } from 'kysely'
import type { Db } from '../store.ts'
import type { Tables } from '../tables.ts'

interface WaitingTime {
  table: keyof Tables
  column: string
  /** No row waits for longer than this, with a good margin. */
  atMostMs: number
  /** The time that it gets instead. Default: now. */
  becomes?: number
  /** Only these rows, if others may have such a time. */
  where?: string
}

const waitingTimes: readonly WaitingTime[] = [
  { table: 'jobs', column: 'run_at', atMostMs: 2 * dayMs, where: 'failed_at is null' },
  { table: 'jobs', column: 'claimed_until', atMostMs: hourMs },
  { table: 'backups', column: 'held_until', atMostMs: hourMs },
  { table: 'scrubs', column: 'held_until', atMostMs: hourMs },
  { table: 'builds', column: 'lease_until', atMostMs: hourMs },
  { table: 'builds', column: 'retry_at', atMostMs: hourMs },
  { table: 'certificates', column: 'claimed_until', atMostMs: hourMs },
  // An issued certificate is renewed before it expires.
  {
    table: 'certificates',
    column: 'next_at',
    atMostMs: 8 * dayMs,
    where: 'expires_at is null or next_at > expires_at or failures > 0',
  },
  { table: 'crons', column: 'running_until', atMostMs: hourMs },
  { table: 'domains', column: 'next_look_at', atMostMs: 2 * hourMs },
  { table: 'github_deliveries', column: 'next_at', atMostMs: hourMs },
  { table: 'github_pulls', column: 'next_at', atMostMs: hourMs },
  { table: 'github_reports', column: 'next_at', atMostMs: hourMs },
  { table: 'notification_deliveries', column: 'next_at', atMostMs: dayMs },
  { table: 'project_pictures', column: 'next_at', atMostMs: 2 * hourMs },
  // A window that begins weeks from now would count all requests until then. So it has ended.
  { table: 'rate_limits', column: 'window_start', atMostMs: hourMs, becomes: 0 },
]

/** Sets the times that are too far ahead to now. Returns how many rows of each table had one. */
export async function correctTimesAhead(db: Db, now: number): Promise<Record<string, number>> {
  const corrected: Record<string, number> = {}
  for (const { table, column, atMostMs, becomes = now, where = '1 = 1' } of waitingTimes) {
    const time = sql.ref(column)
    const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${time} = ${becomes}
      where ${time} > ${now + atMostMs} and (${sql.raw(where)})`.execute(db)
    if (numAffectedRows > 0n) corrected[table] = (corrected[table] ?? 0) + Number(numAffectedRows)
  }
  return corrected
}
