// svcd doctor: checks everything that the platform depends on, and says what is wrong and what to do.
import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { parseArgs, promisify } from 'node:util'
import { newestFirst } from '@svc/contract/project'
import { openDatabases } from '../compose/app-databases.ts'
import { openRuntime } from '../compose/apps.ts'
import { backupPlan } from '../compose/backups.ts'
import { openCatalog, openPayments } from '../compose/billing.ts'
import { nodeVersionsOf, openNodeInstalls } from '../compose/node-versions.ts'
import { openGitHub, openMailer, openStore, packsSettings } from '../compose/ports.ts'
import { withDashboard } from '../compose/stored-settings.ts'
import { readSettings, SettingError, type Settings } from '../config.ts'
import { urlsAt } from '../core/base/urls.ts'
import { checkBackups } from '../core/platform/backup-report.ts'
import { CheckFailure, checkDisk, checkEventLoop, checkKeys } from '../core/platform/checks.ts'
import { checkDatabaseArchive } from '../core/platform/database-archive.ts'
import { checkNodes } from '../core/platform/node-checks.ts'
import { checkScrub } from '../core/platform/scrub-report.ts'
import { checkDns, checkMail } from '../core/platform/service-checks.ts'
import { type DataDirectory, openDataDirectory, requireChosenDataDirectory } from '../data-directory.ts'
import { becomeOwner } from '../data-owner.ts'
import { systemClock } from '../lib/clock.ts'
import { diskSpace } from '../lib/disk-space.ts'
import { limitsGitMemory } from '../lib/git/limits.ts'
import { createLog } from '../log.ts'
import { dnsResolver } from '../ports/dns/resolver.ts'
import { bundledDatabase, mmdbGeoIp } from '../ports/geo/mmdb.ts'
import { openPacks } from '../ports/packs/open.ts'
import { findCertificate } from '../store/domains/certificates.ts'
import type { Store } from '../store/store.ts'
import { checkDeployments, requireWholeDatabase } from './doctor-damage.ts'
import { checkAuthority, checkHttps } from './doctor-https.ts'
import { checkPictures } from './doctor-pictures.ts'
import { checkVersion } from './version-check.ts'

/** Returns a line about what works. Throws an error that says what does not. */
type Check = (settings: Settings, data: DataDirectory, port: string | Error) => Promise<string>

const checks: Record<string, Check> = {
  'Node.js': async () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    if (major < 20 || (major === 20 && minor < 19))
      throw new Error(`${process.version} is too old; install 20.19 or newer`)
    return process.version
  },
  version: checkVersion,
  'data directory': async settings => {
    accessSync(settings.dataDir, constants.R_OK | constants.W_OK)
    const mode = statSync(settings.dataDir).mode & 0o777
    if (mode & 0o077)
      throw new Error(`${settings.dataDir} is open to other users; run: chmod 700 ${settings.dataDir}`)
    return settings.dataDir
  },
  database: async (settings, data) => {
    requireWholeDatabase(settings, data)
    return await withStore(settings, data, async store => {
      await store.check()
      return store.engine
    })
  },
  nodes: (settings, data) => withStore(settings, data, store => checkNodes({ store })),
  keys: (settings, data) => withStore(settings, data, store => checkKeys({ store, keyring: data.keyring })),
  storage: async (settings, data) => {
    const described = packsSettings(settings, data)
    const packs = await openPacks(described, 'serving')
    await packs.check().finally(() => packs.close())
    return described.kind === 'disk' ? described.dir : `S3 bucket ${described.store.bucket}`
  },
  deployments: (settings, data) =>
    withStore(settings, data, store => checkDeployments(settings, data, store)),
  scrub: (settings, data) => withStore(settings, data, store => checkScrub({ store, clock: systemClock })),
  backups: (settings, data) =>
    withStore(settings, data, store =>
      checkBackups({ store, clock: systemClock, backups: backupPlan(settings) }),
    ),
  'archive of databases': async (settings, data) => {
    const databases = await openDatabases(settings, data)
    return await withStore(settings, data, store =>
      checkDatabaseArchive({ store, clock: systemClock, databases }),
    )
  },
  port: async (_settings, _data, port) => {
    if (port instanceof Error) throw port
    return port
  },
  'event loop': settings => checkEventLoop(settings.dataDir),
  disk: async ({ dataDir, diskReserveMb: reserveMb }) =>
    checkDisk(await diskSpace(dataDir), reserveMb === undefined ? undefined : reserveMb * 1024 * 1024),
  DNS: async ({ dnsServers, dnsTarget, platformDomain: domain }) =>
    await checkDns({ dns: dnsResolver(dnsServers), dnsTarget, domain }),
  HTTPS: (settings, data) =>
    withStore(settings, data, store => checkHttps(settings, name => findCertificate(store.db, name))),
  'certificate authority': checkAuthority,
  mail: async settings => {
    const mailer = await openMailer(settings, () => undefined)
    return await checkMail({ mailer }).finally(() => mailer.close())
  },
  'server apps': async (settings, data) => {
    const silent = createLog({ ...settings, logLevel: 'silent' })
    const runtime = await openRuntime(settings, data, silent)
    const { description, warnings, problems } = await runtime.check().finally(() => runtime.close())
    if (problems.length > 0) throw new Error(problems.join('; '))
    const { all } = await nodeVersionsOf(settings, await openNodeInstalls(settings, silent), runtime)
    const nodes = all.length === 0 ? [] : [`Node ${newestFirst(all).join(', ')}`]
    return [`${runtime.driver}: ${description}`, ...nodes, ...warnings].join('; ')
  },
  pictures: checkPictures,
  countries: async settings => {
    const file = settings.geoDatabase ?? bundledDatabase()
    const geo = mmdbGeoIp(file, error => {
      throw error
    })
    await geo.country('192.0.2.1').finally(() => geo.close())
    return file
  },
  git: async () => {
    const version = (await promisify(execFile)('git', ['--version'])).stdout.trim()
    return limitsGitMemory
      ? version
      : `${version}; its memory is not limited, because prlimit (util-linux) is missing`
  },
  plans: async settings => {
    const plans = [...openCatalog(settings).keys()].join(', ')
    return settings.billing === 'off' ? 'not used (SVCD_BILLING=off)' : plans
  },
  payments: async settings => {
    if (settings.billing !== 'stripe') return settings.billing
    const payments = (await openPayments(settings))(urlsAt({ scheme: 'http', domain: '', port: undefined }))
    await payments?.check()
    return 'stripe takes the key'
  },
  GitHub: async settings => {
    const github = await openGitHub(settings)
    return github ? await github.check() : 'not used (SVCD_FORGE)'
  },
}

async function portState({ host, port }: Settings): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve() : reject(error),
    )
    server.listen(port, host, resolve)
  })
  const free = server.listening
  server.close()
  return `${host}:${port} ${free ? 'is free' : 'is in use (svcd itself, if it is running)'}`
}

async function withStore(
  settings: Settings,
  data: DataDirectory,
  work: (store: Store) => Promise<string>,
): Promise<string> {
  const store = await openStore(settings, data, createLog({ ...settings, logLevel: 'silent' }))
  try {
    await store.migrate()
    return await work(store)
  } finally {
    await store.close()
  }
}

export async function doctor(args: string[]): Promise<number> {
  parseArgs({ args })
  const settings = readSettings()
  requireChosenDataDirectory(settings)
  // Only root may open the ports below 1024. A service gets the right to do so from its unit.
  const port = await portState(settings).catch((error: Error) => error)
  becomeOwner(settings)
  const data = openDataDirectory(settings)
  const inEffect = await withDashboard(settings).catch((error: unknown) => {
    if (error instanceof SettingError) throw error
    return settings // The check of the database says what is wrong with it.
  })
  let bad = 0
  for (const [name, check] of Object.entries(checks)) {
    const [mark, words] = await check(inEffect, data, port).then(
      found => ['ok  ', found],
      (error: Error) => [
        'FAIL',
        error instanceof CheckFailure ? `${error.message}. ${error.advice}` : error.message,
      ],
    )
    if (mark === 'FAIL') bad++
    process.stdout.write(`${mark}  ${name}: ${words}\n`)
  }
  process.stdout.write(bad === 0 ? 'All well.\n' : `${bad} of ${Object.keys(checks).length} checks failed.\n`)
  return bad === 0 ? 0 : 1
}
