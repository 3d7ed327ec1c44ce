// Opens the adapters that the platform needs: database, storage of deployments, app logs, mail, GitHub, GeoIP.
import path from 'node:path'
import { secondMs } from '@svc/contract/durations'
import type { Logger } from 'pino'
import { githubApp } from '../config/github.ts'
import { type Settings, s3Settings } from '../config.ts'
import type { DataDirectory } from '../data-directory.ts'
import type { Clock } from '../lib/clock.ts'
import { nanoClock } from '../lib/nanoseconds.ts'
import { DiskAppLogs } from '../ports/app-logs/disk.ts'
import type { KeptLogs } from '../ports/app-logs/port.ts'
import type { GeoIp } from '../ports/geo/port.ts'
import { DiskRepos } from '../ports/git-repos/disk.ts'
import type { GitRepos } from '../ports/git-repos/port.ts'
import type { GitHub } from '../ports/github/port.ts'
import { type Mailer, noMailer } from '../ports/mailer/port.ts'
import { openPacks, type PacksSettings } from '../ports/packs/open.ts'
import type { Packs } from '../ports/packs/port.ts'
import { ownerOfRepository, repositoriesAmong } from '../store/builds/repositories.ts'
import { repositoryLedger } from '../store/builds/repository-ledger.ts'
import type { FeedCursor } from '../store/postgres/feed.ts'
import { openSqlite } from '../store/sqlite/store.ts'
import type { Store } from '../store/store.ts'
import { version } from '../version.ts'

export async function openStore(
  settings: Settings,
  data: Pick<DataDirectory, 'databaseFile'>,
  log: Logger,
  cursor?: FeedCursor,
): Promise<Store> {
  if (!settings.databaseUrl) return await openSqlite(data.databaseFile)
  const { openPostgres } = await import('../store/postgres/store.ts')
  return await openPostgres(settings.databaseUrl.reveal(), (message, err) => log.warn({ err }, message), {
    limits: {
      connections: settings.databaseConnections,
      connectMs: settings.databaseConnectSeconds * secondMs,
      statementMs: settings.databaseStatementSeconds * secondMs,
      lockMs: settings.databaseLockSeconds * secondMs,
    },
    feed: settings.databaseFeed,
    cursor,
  })
}

export function packsSettings(
  settings: Settings,
  data: Pick<DataDirectory, 'packsDir' | 's3UploadsDir' | 'packCacheDir'>,
): PacksSettings {
  const store = s3Settings(settings)
  if (!store) return { kind: 'disk', dir: data.packsDir }
  const { s3UploadsDir: uploadsDir, packCacheDir: cacheDir } = data
  return { kind: 's3', store, uploadsDir, cacheDir, cacheBytes: settings.packCacheBytes }
}

export function openStorage(settings: Settings, data: DataDirectory, log: Logger): Promise<Packs> {
  const onError = (err: unknown) => log.warn({ err }, 'could not copy a deployment to the local disk')
  return openPacks(packsSettings(settings, data), 'serving', onError)
}

interface OpenRepos {
  repos: GitRepos
  /** Copies repositories to the storage that only this machine has. */
  adopt(): Promise<number>
  /** Brings every repository to the disk of this machine. Returns those that it could not bring. */
  copyAll(): Promise<string[]>
  close(): Promise<void>
}

/**
 * With PostgreSQL and S3 there may be other nodes, so repositories are on the storage. Otherwise the data directory is the
 * only one that has them.
 */
export async function openRepos(
  settings: Settings,
  data: DataDirectory,
  store: Store,
  clock: Clock,
): Promise<OpenRepos> {
  const disk = new DiskRepos({
    dir: data.reposDir,
    pushBytes: settings.gitPushBytes,
    ownerOf: id => ownerOfRepository(store.db, id),
  })
  const s3 = s3Settings(settings)
  if (!s3 || store.engine !== 'postgres')
    return { repos: disk, adopt: async () => 0, copyAll: async () => [], close: async () => undefined }
  const { SharedRepos } = await import('../ports/git-repos/shared.ts')
  const { S3Packs } = await import('../ports/packs/s3/packs.ts')
  const packs = new S3Packs({ ...s3, prefix: `${s3.prefix}git/` }, path.join(data.reposDir, 'uploads'))
  const repos = new SharedRepos({ disk, packs, ledger: repositoryLedger(store, clock) })
  return {
    repos,
    async adopt() {
      await packs.discardUnfinished()
      return await repos.adoptAll(ids => repositoriesAmong(store.db, ids))
    },
    copyAll: () => repos.copyAll(),
    close: () => packs.close(),
  }
}

export function openAppLogs(settings: Settings, data: DataDirectory, clock: Clock, log: Logger): KeptLogs {
  return new DiskAppLogs({
    dir: data.appLogsDir,
    bytesAtMost: settings.appLogBytes,
    now: nanoClock(clock),
    onError: err => log.error({ err }, 'could not store log lines of an app'),
  })
}

export async function openMailer(settings: Settings, onError: (error: unknown) => void): Promise<Mailer> {
  if (!settings.smtpUrl) return noMailer
  const { smtpMailer } = await import('../ports/mailer/smtp.ts')
  return smtpMailer(settings.smtpUrl.reveal(), settings.mailFrom, onError)
}

/** The code is loaded only if GitHub is set up. */
export async function openGitHub(settings: Settings): Promise<GitHub | undefined> {
  const app = githubApp(settings)
  if (!app) return undefined
  const { githubOf } = await import('../ports/github/app.ts')
  return githubOf(app, `svc/${version}`)
}

export async function openGeo(settings: Settings, log: Logger): Promise<GeoIp> {
  const { bundledDatabase, mmdbGeoIp } = await import('../ports/geo/mmdb.ts')
  const onError = (err: unknown) => log.error({ err }, 'cannot read the GeoIP database')
  return mmdbGeoIp(settings.geoDatabase ?? bundledDatabase(), onError)
}
