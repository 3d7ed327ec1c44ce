// Opens the adapters that the platform needs: database, storage of deployments, app logs, mail, GitHub, GeoIP.
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
import type { GitHub } from '../ports/github/port.ts'
import { type Mailer, noMailer } from '../ports/mailer/port.ts'
import { openPacks, type PacksSettings } from '../ports/packs/open.ts'
import type { Packs } from '../ports/packs/port.ts'
import { openSqlite } from '../store/sqlite/store.ts'
import type { Store } from '../store/store.ts'
import { version } from '../version.ts'

export async function openStore(settings: Settings, data: DataDirectory, log: Logger): Promise<Store> {
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

export function openAppLogs(settings: Settings, data: DataDirectory, clock: Clock, log: Logger): KeptLogs {
  return new DiskAppLogs({
    dir: data.appLogsDir,
    bytesAtMost: settings.appLogBytes,
    now: nanoClock(clock),
    onError: err => log.error({ err }, 'could not store log lines of an app'),
  })
}

export async function openMailer(settings: Settings, log: Logger): Promise<Mailer> {
  if (!settings.smtpUrl) return noMailer
  const { smtpMailer } = await import('../ports/mailer/smtp.ts')
  const onError = (err: unknown) => log.error({ err }, 'could not send an email')
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
