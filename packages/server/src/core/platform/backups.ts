// Backups at the times of SVCD_BACKUP_SCHEDULE: a sweep queues a job when one is due, and the job starts `svcd backup run`.
import { minuteMs } from '@svc/contract/durations'
import { enabledAdmins } from '../../store/admin/users.ts'
import { ensureBackup, findBackup, recordFailedBackup, setNextBackup } from '../../store/platform/backups.ts'
import { errorText } from '../base/error-text.ts'
import { enqueue, jobKinds } from '../base/jobs.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { nextRun } from '../crons/schedule.ts'

/** Makes a backup in another process. Rejects with what that said. `busy` if another backup is being made. */
export type MakeBackup = (signal: AbortSignal) => Promise<'made' | 'busy'>

type Parts = Rows & Pick<Platform, 'backups'>

const lookAgainMs = 10 * minuteMs

/** Run by the sweep of every node. One of them queues the job. */
export async function queueDueBackup({ store, backups }: Parts, now: number): Promise<void> {
  const { place, schedule } = backups ?? {}
  if (place === undefined || schedule === undefined) return
  await ensureBackup(store.db, place)
  const row = await findBackup(store.db, place)
  const next = nextRun(schedule, now)
  if (!row || next === null) return
  const planned = row.schedule === schedule && row.next_run_at !== null ? Number(row.next_run_at) : undefined
  const isDue = planned !== undefined && planned <= now
  // Also if the schedule was changed, or the clock was ahead and has been corrected.
  if (!isDue && planned !== undefined && planned <= next) return
  await store.transact(async tx => {
    const isOurs = await setNextBackup(tx, { place, schedule, next_run_at: row.next_run_at }, next)
    if (isOurs && isDue) await enqueue(tx, 'backup', { place }, { now })
  })
}

/** Run by the job queue. Returns when to look again, if another backup is being made. */
export async function makeDueBackup(
  platform: Parts,
  makeBackup: MakeBackup,
  place: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (platform.backups?.place !== place)
    throw new Error(`SVCD_BACKUP_URL is not ${place} on this node. All nodes need the same settings.`)
  try {
    return (await makeBackup(signal)) === 'busy' ? platform.clock.now() + lookAgainMs : undefined
  } catch (error) {
    if (!signal.aborted) await noteFailure(platform, place, errorText(error))
    throw error
  }
}

/** One email for each row of failures, when the job is given up the first time. */
async function noteFailure({ store, clock }: Parts, place: string, error: string): Promise<void> {
  const now = clock.now()
  await store.transact(async tx => {
    const failures = await recordFailedBackup(tx, place, { now, error })
    if (failures === jobKinds.backup.attempts) await enqueue(tx, 'backup-mail', { place, at: now }, { now })
  })
}

/** Run by the job queue. Tells all admins with an email address, unless a backup was made meanwhile. */
export async function sendBackupMail(
  { store, mailer, domain, urls }: Rows & Pick<Platform, 'domain' | 'mailer' | 'urls'>,
  place: string,
): Promise<void> {
  const row = await findBackup(store.db, place)
  if (!row || row.failures === 0 || !mailer.isConfigured) return
  const good = row.good_at === null ? undefined : isoTime(Number(row.good_at))
  const subject = `The backup of ${domain} fails`
  const text = `The backup of ${domain} to ${place} has failed since ${isoTime(Number(row.failed_at))}:

${row.error}

${good ? `The last good backup was made at ${good}.` : 'There is no good backup yet.'} svcd tries again at the next time of SVCD_BACKUP_SCHEDULE. You get no other email about this until a backup has succeeded.

To see what is wrong, run this on the server: svcd backup run
The state of the platform: ${urls.dashboard}/admin
`
  for (const { email } of await enabledAdmins(store.db))
    if (email && !(await mailer.send({ to: email, subject, text })))
      throw new Error('the mail server did not accept an email about a failed backup')
}
