// Removes what has expired and nobody needs any more.
import { rateLimits } from '@svc/contract'
import { deleteExpiredCodes } from '../store/access.ts'
import { deleteOldAiUsage } from '../store/ai.ts'
import { deleteOldInstances } from '../store/app-instances.ts'
import { deleteOldAudit } from '../store/audit.ts'
import { forgetDeletedUsage } from '../store/billing/usage.ts'
import { deleteOldOrders } from '../store/certificates.ts'
import { deleteOldChanges } from '../store/change-rows.ts'
import { failInterrupted } from '../store/deployments.ts'
import { deleteExpiredLogins } from '../store/device-logins.ts'
import { deleteOldReleases } from '../store/domain-releases.ts'
import { deleteOldDeliveries } from '../store/github/deliveries.ts'
import { deleteOldInvites } from '../store/invites.ts'
import { deleteOldWindows } from '../store/rate-limits.ts'
import { askForMissingDeliveries } from './billing/invoices/deliver.ts'
import { longestPeriod } from './certificates/budget.ts'
import { releaseMs } from './domain-proof.ts'
import { removeOldSubmissions } from './forms/forms.ts'
import { askForMissingMail } from './forms/notification.ts'
import type { Platform } from './platform.ts'
import { removeDiscardedPacks } from './removal.ts'
import { removeEndedShares } from './shares.ts'
import { forgetOldStats } from './stats/retention.ts'

const hour = 3_600_000
const day = 24 * hour

/** Of the windows in which requests are counted: those of mail. */
const longestWindowMs =
  1000 * Math.max(...Object.values(rateLimits).map(({ windowSeconds }) => windowSeconds))

/** How long the audit log is kept. */
const auditMs = 365 * day
/** As long as the hourly stats. */
const aiUsageMs = 400 * day

export async function sweep(platform: Platform): Promise<void> {
  const { db } = platform.store
  const now = platform.clock.now()
  await deleteExpiredLogins(db, now - hour)
  await deleteExpiredCodes(db, now)
  await deleteOldWindows(db, now - longestWindowMs)
  await deleteOldChanges(db, now - hour)
  await deleteOldInvites(db, now)
  await deleteOldInstances(db, now - 7 * day)
  await deleteOldAudit(db, now - auditMs)
  await deleteOldReleases(db, now - releaseMs)
  // GitHub can deliver again for three days.
  await deleteOldDeliveries(db, now - 7 * day)
  await deleteOldOrders(db, now - longestPeriod)
  // No upload takes that long; the node that received it must be gone for good.
  const startedBefore = now - 3 * hour
  await failInterrupted(db, { startedBefore }, 'The upload never ended. Deploy again.')
  await removeOldSubmissions(platform)
  await askForMissingMail(platform)
  await askForMissingDeliveries(platform)
  await removeEndedShares(platform, startedBefore)
  await removeDiscardedPacks(platform)
  await forgetOldStats(platform)
  await deleteOldAiUsage(db, now - aiUsageMs)
  await forgetDeletedUsage(db, now)
}
