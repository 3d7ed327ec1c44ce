// How the platform is doing, for its operator: disk, memory, queues, checks and limits.
import { freemem, totalmem } from 'node:os'
import { type AdminOverview, describeRateLimit, type RateLimitName, rateLimits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import {
  appMemory,
  buildQueue,
  countAccounts,
  countCertificates,
  jobQueue,
} from '../../store/admin/overview.ts'
import { jobKinds, jobsFingerprint } from '../base/jobs.ts'
import { planLimits } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows, Vault } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import { reserveOf } from '../deployments/storage-room.ts'
import { backupState, checkBackups } from '../platform/backup-report.ts'
import { checkDisk, checkEventLoop, checkKeys } from '../platform/checks.ts'
import { archiveOverview, checkDatabaseArchive } from '../platform/database-archive.ts'
import { checkScrub } from '../platform/scrub-report.ts'

type Parts = PlanSettings &
  Rows &
  Vault &
  Pick<Platform, 'backups' | 'databases' | 'disk' | 'packs' | 'signups' | 'version'>

export async function overview(platform: Parts): Promise<AdminOverview> {
  const { store, clock, version, signups } = platform
  const now = clock.now()
  const [accounts, certificates, disk, memory, builds, jobs, backups, databaseArchive, checks] =
    await Promise.all([
      countAccounts(store.db),
      countCertificates(store.db),
      diskState(platform),
      memoryState(platform),
      buildQueue(store.db, now - dayMs),
      jobQueue(store.db, now, { kinds: Object.keys(jobKinds), fingerprint: jobsFingerprint }),
      backupState(platform),
      archiveOverview(platform),
      runChecks(platform),
    ])
  return {
    version,
    node_version: process.version,
    database: store.engine,
    started_at: isoTime(Date.now() - process.uptime() * 1000),
    accounts,
    signups,
    disk,
    memory,
    builds: {
      queued: builds.queued,
      building: builds.building,
      failed_last_day: builds.failed,
      oldest_queued_at: isoTimeOrNull(builds.oldestQueuedAt),
    },
    jobs: jobs.map(({ dueSince, notUnderstood, ...job }) => ({
      ...job,
      not_understood: notUnderstood,
      late_since: isoTimeOrNull(dueSince),
    })),
    certificates: { valid: 0, pending: 0, issuing: 0, failed: 0, ...certificates },
    backups,
    database_archive: databaseArchive,
    checks,
    rate_limits: (Object.keys(rateLimits) as RateLimitName[]).map(name => ({
      name,
      limit: describeRateLimit(name),
    })),
    plan_limits: planLimits(platform),
  }
}

async function diskState({ disk }: Pick<Platform, 'disk'>): Promise<AdminOverview['disk']> {
  const { freeBytes, totalBytes } = await disk.space()
  return {
    dir: disk.dir,
    free_bytes: freeBytes,
    total_bytes: totalBytes,
    reserve_bytes: Math.floor(reserveOf(disk.reserveBytes, totalBytes)),
    uses: (await disk.uses()) ?? null,
  }
}

async function memoryState({ store }: Pick<Platform, 'store'>): Promise<AdminOverview['memory']> {
  const apps = await appMemory(store.db)
  return {
    total_bytes: totalmem(),
    free_bytes: freemem(),
    svcd_bytes: process.memoryUsage.rss(),
    apps_bytes: apps.bytes,
    apps: apps.count,
  }
}

const checks: Record<string, (platform: Parts) => Promise<string>> = {
  database: async ({ store }) => {
    await store.check()
    return store.engine
  },
  storage: async ({ packs }) => {
    await packs.check()
    return 'can be read and written'
  },
  keys: checkKeys,
  disk: async ({ disk }) => checkDisk(await disk.space(), disk.reserveBytes),
  'stored files': checkScrub,
  backups: checkBackups,
  'archive of databases': checkDatabaseArchive,
  'event loop': ({ disk }) => checkEventLoop(disk.dir),
}

const runChecks = (platform: Parts): Promise<AdminOverview['checks']> =>
  Promise.all(
    Object.entries(checks).map(([name, check]) =>
      check(platform).then(
        message => ({ name, ok: true, message }),
        (error: Error) => ({ name, ok: false, message: error.message }),
      ),
    ),
  )
