// The sweep: deletes what has expired, and queues emails and invoices whose job was lost. A step that fails does not keep the
// others from running.

import { rateLimits } from '@svc/contract'
import { dayMs, hourMs } from '@svc/contract/durations'
import { deleteExpiredCodes } from '../../store/access/access.ts'
import { deleteExpiredPreviewLinks } from '../../store/access/preview-links.ts'
import { deleteOldAiUsage } from '../../store/ai/ai.ts'
import { deleteExpiredReservations } from '../../store/ai/reservations.ts'
import { deleteOldInstances } from '../../store/apps/instances.ts'
import { forgetDeletedUsage } from '../../store/billing/usage.ts'
import { deleteOldDeliveries } from '../../store/builds/github/deliveries.ts'
import { checkTotals } from '../../store/deployments/stored-totals.ts'
import { deleteOldOrders } from '../../store/domains/certificate-orders.ts'
import { deleteOldReleases } from '../../store/domains/releases.ts'
import { deleteExpiredAccountInvites } from '../../store/identity/account-invites.ts'
import { deleteExpiredChallenges } from '../../store/identity/challenges.ts'
import { deleteExpiredLogins } from '../../store/identity/device-logins.ts'
import { deleteExpiredEmailChanges } from '../../store/identity/email-changes.ts'
import { deleteExpiredPasskeyChallenges } from '../../store/identity/passkeys.ts'
import { deleteOldNotifications } from '../../store/notifications/deliveries.ts'
import { deleteOldInvites } from '../../store/orgs/invites.ts'
import { deleteOldAudit } from '../../store/platform/audit.ts'
import { deleteOldChanges } from '../../store/platform/change-log.ts'
import { deleteFailedJobs } from '../../store/platform/jobs.ts'
import { deleteOldWindows } from '../../store/platform/rate-limits.ts'
import { deleteOldScrubs } from '../../store/platform/scrubs.ts'
import { deleteOldSteps, recordSweep } from '../../store/platform/sweep-steps.ts'
import type { Db } from '../../store/store.ts'
import type { SweepStepRow } from '../../store/tables.ts'
import { errorText } from '../base/error-text.ts'
import type { BuildParts, Platform } from '../base/platform.ts'
import { askForMissingDeliveries } from '../billing/invoices/deliver.ts'
import { forgetUnusedHostRepositories } from '../builds/git-hosts/unused.ts'
import { catchUpInterrupted } from '../builds/pushes.ts'
import { removeOrphanedRepositories } from '../builds/repositories.ts'
import { removeOldBuilds } from '../builds/retention.ts'
import { endInterrupted } from '../deployments/failures.ts'
import { removeExpiredParts } from '../deployments/parts.ts'
import { longestPeriod } from '../domains/certificates/budget.ts'
import { releaseMs } from '../domains/proof.ts'
import { removeOldSubmissions } from '../forms/forms.ts'
import { askForMissingMail } from '../forms/notification.ts'
import { forgetOldRequests } from '../logs/requests.ts'
import { removeDiscardedPacks } from '../projects/removal.ts'
import { removeOldDeployments } from '../projects/retention.ts'
import { removeEndedShares } from '../shares/shares.ts'
import { forgetOldCharts } from '../stats/charts.ts'
import { forgetOldStats } from '../stats/retention.ts'
import { removeDeletedAccounts } from './account-deletion/remove.ts'
import { queueDueBackup } from './backups.ts'

/** The longest window of all rate limits. */
const longestWindowMs = Math.max(...Object.values(rateLimits).map(({ windowMs }) => windowMs))

/** How long the audit log is kept. */
const auditMs = 365 * dayMs
/** How long the log of notifications is kept, as docs/notifications.md says. */
const notificationMs = 30 * dayMs
/** As docs/ai.md says. Must be longer than the longest period that is shown, `limits.aiUsageDays.max`. */
const aiUsageMs = 400 * dayMs

type SweepParts = BuildParts & Pick<Platform, 'backups' | 'mailer' | 'packs'>
type Step = (platform: SweepParts, now: number) => Promise<unknown>

/** A step that needs nothing but the database. */
const onRows =
  (run: (db: Db, now: number) => Promise<unknown>): Step =>
  ({ store }, now) =>
    run(store.db, now)

/** No upload takes that long, so the node that received it is gone. */
const uploadsBefore = (now: number): number => now - 3 * hourMs

/** Projects whose totals one sweep compares with their deployments. */
const totalsAtOnce = 20

/** The steps in their order. Those that delete files stand last, because a storage that does not answer takes a while to fail. */
const steps: Record<string, Step> = {
  'device logins': onRows((db, now) => deleteExpiredLogins(db, now - hourMs)),
  'sign-in challenges': onRows(deleteExpiredChallenges),
  'email changes': onRows(deleteExpiredEmailChanges),
  'passkey challenges': onRows(deleteExpiredPasskeyChallenges),
  'access codes': onRows(deleteExpiredCodes),
  'share links of previews': onRows(deleteExpiredPreviewLinks),
  'rate limits': onRows((db, now) => deleteOldWindows(db, now - longestWindowMs)),
  changes: onRows((db, now) => deleteOldChanges(db, now - hourMs)),
  'org invites': onRows(deleteOldInvites),
  'account invites': onRows(deleteExpiredAccountInvites),
  'failed jobs': onRows((db, now) => deleteFailedJobs(db, now - 7 * dayMs)),
  'app instances': onRows((db, now) => deleteOldInstances(db, now - 7 * dayMs)),
  'audit log': onRows((db, now) => deleteOldAudit(db, now - auditMs)),
  'released domains': onRows((db, now) => deleteOldReleases(db, now - releaseMs)),
  // GitHub can deliver again for three days.
  'GitHub deliveries': onRows((db, now) => deleteOldDeliveries(db, now - 7 * dayMs)),
  notifications: onRows((db, now) => deleteOldNotifications(db, now - notificationMs)),
  'certificate orders': onRows((db, now) => deleteOldOrders(db, now - longestPeriod)),
  'AI usage': onRows((db, now) => deleteOldAiUsage(db, now - aiUsageMs)),
  'AI requests of lost nodes': onRows(deleteExpiredReservations),
  'usage of deleted projects': onRows(forgetDeletedUsage),
  'scrubs of lost nodes': onRows((db, now) => deleteOldScrubs(db, now - 30 * dayMs)),
  'sweep steps': onRows((db, now) => deleteOldSteps(db, now - dayMs)),
  backups: queueDueBackup,
  statistics: forgetOldStats,
  charts: forgetOldCharts,
  'request log': forgetOldRequests,
  'form submissions': removeOldSubmissions,
  'form emails': askForMissingMail,
  invoices: askForMissingDeliveries,
  'interrupted uploads': (platform, now) =>
    endInterrupted(platform, { startedBefore: uploadsBefore(now) }, 'The upload never ended. Deploy again.'),
  'upload parts': removeExpiredParts,
  shares: (platform, now) => removeEndedShares(platform, uploadsBefore(now)),
  'deleted accounts': removeDeletedAccounts,
  'old deployments': removeOldDeployments,
  'stored totals': ({ store }, now) => checkTotals(store, { before: now - dayMs, now, atMost: totalsAtOnce }),
  builds: removeOldBuilds,
  'interrupted pushes': catchUpInterrupted,
  'deleted repositories': removeOrphanedRepositories,
  'disconnected repositories': forgetUnusedHostRepositories,
  'deleted files': platform => removeDiscardedPacks(platform),
}

interface SweptStep {
  name: string
  /** `undefined` if the step succeeded. */
  error: unknown
}

/** Runs every step, records how it went, and returns that. */
export async function sweep(platform: SweepParts): Promise<SweptStep[]> {
  const { store, clock } = platform
  const rows: SweepStepRow[] = []
  const swept: SweptStep[] = []
  for (const [name, step] of Object.entries(steps)) {
    const startedAt = clock.now()
    const error = await step(platform, startedAt).then(
      () => undefined,
      (failure: unknown) => failure ?? new Error('unknown'),
    )
    const ran_at = clock.now()
    swept.push({ name, error })
    rows.push({
      ...{ name, ran_at, took_ms: ran_at - startedAt },
      ...(error === undefined
        ? { succeeded_at: ran_at, error: null }
        : { succeeded_at: null, error: errorText(error) }),
    })
  }
  await recordSweep(store.db, rows)
  return swept
}
