// Deletes expired rows, and queues emails and invoices whose job was lost.

import { rateLimits } from '@svc/contract'
import { dayMs, hourMs } from '@svc/contract/durations'
import { deleteExpiredCodes } from '../../store/access/access.ts'
import { deleteExpiredAccountInvites } from '../../store/admin/account-invites.ts'
import { deleteOldAiUsage } from '../../store/ai/ai.ts'
import { deleteOldInstances } from '../../store/apps/instances.ts'
import { forgetDeletedUsage } from '../../store/billing/usage.ts'
import { deleteOldDeliveries } from '../../store/builds/github/deliveries.ts'
import { deleteOldOrders } from '../../store/domains/certificates.ts'
import { deleteOldReleases } from '../../store/domains/releases.ts'
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
import type { Platform, Rows } from '../base/platform.ts'
import { askForMissingDeliveries } from '../billing/invoices/deliver.ts'
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
import { forgetOldStats } from '../stats/retention.ts'

/** The longest window of all rate limits. */
const longestWindowMs = Math.max(...Object.values(rateLimits).map(({ windowMs }) => windowMs))

/** How long the audit log is kept. */
const auditMs = 365 * dayMs
/** How long the log of notifications is kept, as docs/notifications.md says. */
const notificationMs = 30 * dayMs
/** As docs/ai.md says. Must be longer than the longest period that is shown, `limits.aiUsageDays.max`. */
const aiUsageMs = 400 * dayMs

export async function sweep(platform: Rows & Pick<Platform, 'mailer' | 'packs' | 'repos'>): Promise<void> {
  const { db } = platform.store
  const now = platform.clock.now()
  await deleteExpiredLogins(db, now - hourMs)
  await deleteExpiredChallenges(db, now)
  await deleteExpiredEmailChanges(db, now)
  await deleteExpiredPasskeyChallenges(db, now)
  await deleteExpiredCodes(db, now)
  await deleteOldWindows(db, now - longestWindowMs)
  await deleteOldChanges(db, now - hourMs)
  await deleteOldInvites(db, now)
  await deleteExpiredAccountInvites(db, now)
  await deleteFailedJobs(db, now - 7 * dayMs)
  await deleteOldInstances(db, now - 7 * dayMs)
  await deleteOldAudit(db, now - auditMs)
  await deleteOldReleases(db, now - releaseMs)
  // GitHub can deliver again for three days.
  await deleteOldDeliveries(db, now - 7 * dayMs)
  await deleteOldNotifications(db, now - notificationMs)
  await deleteOldOrders(db, now - longestPeriod)
  // No upload takes that long, so the node that received it is gone.
  const startedBefore = now - 3 * hourMs
  await endInterrupted(platform, { startedBefore }, 'The upload never ended. Deploy again.')
  await removeExpiredParts(platform)
  await removeOldSubmissions(platform)
  await askForMissingMail(platform)
  await askForMissingDeliveries(platform)
  await removeEndedShares(platform, startedBefore)
  await removeOldDeployments(platform)
  await removeDiscardedPacks(platform)
  await removeOrphanedRepositories(platform)
  await removeOldBuilds(platform)
  await forgetOldStats(platform)
  await forgetOldRequests(platform)
  await deleteOldAiUsage(db, now - aiUsageMs)
  await forgetDeletedUsage(db, now)
}
