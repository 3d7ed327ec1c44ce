// The platform in numbers, as Prometheus reads them.
import { dayMs } from '@svc/contract/durations'
import { readLoopBlocks } from '../../lib/read-loop-blocks.ts'
import type { ArchiveState } from '../../ports/databases/port.ts'
import { buildQueue } from '../../store/admin/overview.ts'
import { countInstances } from '../../store/apps/instances.ts'
import { buildBacklog, certificateBacklog, jobBacklog } from '../../store/platform/backlog.ts'
import { countJobs } from '../../store/platform/jobs.ts'
import { listSweepSteps } from '../../store/platform/sweep-steps.ts'
import type { BackupRow, ScrubRow, SweepStepRow } from '../../store/tables.ts'
import type { Platform } from '../base/platform.ts'
import { backupRow } from './backup-report.ts'
import { archiveState } from './database-archive.ts'
import { counter, gauge, type Metric, one, type Sample, written } from './exposition.ts'
import { requestMetrics } from './request-metrics.ts'
import { scrubReport } from './scrub-report.ts'

type Parts = Pick<
  Platform,
  | 'backups'
  | 'clock'
  | 'databases'
  | 'disk'
  | 'lateStart'
  | 'liveEvents'
  | 'requestCounts'
  | 'store'
  | 'version'
>

/** In Prometheus's text format, version 0.0.4. */
export async function metricsText(platform: Parts): Promise<string> {
  const metrics = await collect(platform)
  return Object.entries(metrics)
    .map(([name, metric]) => written(`svcd_${name}`, metric))
    .join('')
}

async function collect(platform: Parts): Promise<Record<string, Metric>> {
  const { store, disk, lateStart, liveEvents, requestCounts, version, backups } = platform
  const { freeBytes, totalBytes } = await disk.space()
  const { user, system } = process.cpuUsage()
  const loops = await readLoopBlocks(disk.dir)
  const perProcess = (value: (loop: (typeof loops)[number]) => number): Sample[] =>
    loops.map(loop => ({ labels: { process: loop.process }, value: value(loop) }))
  const steps = await listSweepSteps(store.db)
  const perStep = (value: (step: SweepStepRow) => number): Sample[] =>
    steps.map(step => ({ labels: { step: step.name }, value: value(step) }))
  const { places, damaged } = await scrubReport({ store })
  const perPlace = (value: (row: ScrubRow) => number): Sample[] =>
    places.map(row => ({ labels: { place: row.place, host: row.host }, value: value(row) }))
  const backup = await backupRow({ store, backups })
  const ofBackup = (value: (row: BackupRow) => number): Sample[] =>
    backup ? [{ labels: { place: backup.place }, value: value(backup) }] : []
  const archive = await archiveState(platform)
  const ofArchive = (value: (state: ArchiveState) => number): Sample[] => (archive ? one(value(archive)) : [])
  return {
    info: gauge('The version that runs.', [{ labels: { version }, value: 1 }]),
    uptime_seconds: gauge('Since the main process started.', one(process.uptime())),
    cpu_seconds_total: counter('Processor time of the main process.', one((user + system) / 1e6)),
    resident_memory_bytes: gauge('Memory of the main process.', one(process.memoryUsage.rss())),
    database_lag_seconds: gauge(
      'Since the database last confirmed that this process has missed no change.',
      one(store.changes.lagMs() / 1000),
    ),
    started_without_database_seconds: gauge(
      'How long this process served sites from its copies after its start, until the database answered.',
      one((lateStart?.waitedMs ?? 0) / 1000),
    ),
    event_streams: gauge('Open streams of `GET /events`.', one(liveEvents.size)),
    event_loop_blocks_total: counter(
      'How often the event loop was blocked.',
      perProcess(loop => loop.count),
    ),
    event_loop_blocked_seconds_total: counter(
      'How long the event loop was blocked.',
      perProcess(loop => loop.totalMs / 1000),
    ),
    event_loop_longest_block_seconds: gauge(
      'The longest block since the start.',
      perProcess(loop => loop.longestMs / 1000),
    ),
    disk_free_bytes: gauge('Room on the disk of the data directory.', one(freeBytes)),
    disk_total_bytes: gauge('Size of that disk.', one(totalBytes)),
    app_instances: gauge(
      'Instances of server apps that have not ended.',
      (await countInstances(store.db)).map(({ state, count }) => ({ labels: { state }, value: count })),
    ),
    ...requestMetrics(requestCounts),
    ...(await waiting(platform)),
    jobs_waiting: gauge('Jobs that are not done yet.', one(await countJobs(store.db))),
    sweep_step_last_run_timestamp_seconds: gauge(
      'When a step of the sweep ran the last time.',
      perStep(step => Number(step.ran_at) / 1000),
    ),
    sweep_step_last_success_timestamp_seconds: gauge(
      'When a step of the sweep last ended without an error.',
      perStep(step => Number(step.succeeded_at ?? 0) / 1000),
    ),
    sweep_step_failed: gauge(
      '1 if the last run of a step of the sweep failed.',
      perStep(step => (step.error === null ? 0 : 1)),
    ),
    backup_last_success_timestamp_seconds: gauge(
      'When the last good backup ended. 0 if there is none.',
      ofBackup(row => Number(row.good_at ?? 0) / 1000),
    ),
    backup_failures: gauge(
      'Backups that failed since the last good one.',
      ofBackup(row => Number(row.failures)),
    ),
    backup_bytes: gauge(
      'What the last good backup holds.',
      ofBackup(row => Number(row.good_bytes)),
    ),
    backup_sent_bytes: gauge(
      'What was sent for the last good backup.',
      ofBackup(row => Number(row.sent_bytes)),
    ),
    backups_kept: gauge(
      'Backups that can be restored.',
      ofBackup(row => Number(row.snapshots)),
    ),
    database_archive_last_success_timestamp_seconds: gauge(
      'Everything until then is in the archive of the databases. 0 if there is nothing.',
      ofArchive(state => (state.archivedAt ?? 0) / 1000),
    ),
    database_archive_last_copy_timestamp_seconds: gauge(
      'When the newest copy of all databases ended. 0 if there is none.',
      ofArchive(state => (state.copiedAt ?? 0) / 1000),
    ),
    database_archive_failures: gauge(
      'Attempts to archive that failed since the last success.',
      ofArchive(state => state.failures),
    ),
    database_archive_waiting_bytes: gauge(
      'Log of the databases that waits for the archive.',
      ofArchive(state => state.waitingBytes),
    ),
    scrub_last_end_timestamp_seconds: gauge(
      'When all packs of a place were last compared with their checksums. 0 if never.',
      perPlace(row => Number(row.ended_at ?? 0) / 1000),
    ),
    scrub_packs: gauge(
      'Packs that the last whole scrub of a place read.',
      perPlace(row => Number(row.last_packs)),
    ),
    scrub_bytes: gauge(
      'Bytes that the last whole scrub of a place read.',
      perPlace(row => Number(row.last_bytes)),
    ),
    scrub_damaged_packs: gauge(
      'Packs that do not match their checksums.',
      perPlace(row => damaged.filter(({ place }) => place === row.place).length),
    ),
    scrub_repaired_packs_total: counter(
      'Damaged copies that were replaced from the shared storage.',
      perPlace(row => Number(row.repaired)),
    ),
  }
}

/** What waits, and for how long. */
async function waiting({ store, clock }: Parts): Promise<Record<string, Metric>> {
  const now = clock.now()
  const since = (time: number | undefined) => Math.max(0, now - (time ?? now)) / 1000
  const jobs = await jobBacklog(store.db, now)
  const builds = await buildBacklog(store.db)
  const { failed } = await buildQueue(store.db, now - dayMs)
  const certificates = await certificateBacklog(store.db)
  const perStatus = (value: (row: (typeof builds)[number]) => number): Sample[] =>
    builds.map(row => ({ labels: { status: row.status }, value: value(row) }))
  return {
    jobs_oldest_seconds: gauge(
      'How long the oldest job that is due has waited.',
      one(since(jobs.oldestRunAt)),
    ),
    jobs_given_up: gauge('Jobs that failed too often.', one(jobs.givenUp)),
    builds: gauge(
      'Builds that have not ended.',
      perStatus(row => row.count),
    ),
    builds_oldest_seconds: gauge(
      'Since the oldest of these builds was queued.',
      perStatus(row => since(row.oldest)),
    ),
    builds_failed_last_day: gauge('Builds of the last 24 hours that failed.', one(failed)),
    certificates: gauge('Certificates that svcd renews.', one(certificates.count)),
    certificates_failing: gauge(
      'Those that could not be issued or renewed the last time.',
      one(certificates.failing),
    ),
    certificates_soonest_end_timestamp_seconds: gauge(
      'When the first of them expires. 0 if there is none.',
      one((certificates.soonestEnd ?? 0) / 1000),
    ),
  }
}
