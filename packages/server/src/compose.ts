// Puts the platform together: the only place that chooses adapters and wires the roles.
import { fileURLToPath } from 'node:url'
import { reservedNames } from '@svc/contract'
import type { Logger } from 'pino'
import { createDashboard } from './api/dashboard.ts'
import { createDocs } from './api/docs.ts'
import { createApi } from './api/server.ts'
import { createStatusPage } from './api/status-page.ts'
import { openApps, runApps } from './compose-apps.ts'
import { type Door, openDoor, relayedParts } from './compose-workers.ts'
import { readSettings, type Settings, s3Settings, trustedAddresses } from './config.ts'
import { setupNeeded } from './core/accounts.ts'
import { noApps } from './core/apps/reach.ts'
import type { Issuing } from './core/certificates/issue.ts'
import { certificateReader, challengeReader } from './core/certificates/reader.ts'
import { scheduledRequests } from './core/crons/signature.ts'
import { formIntakeOf } from './core/forms/intake.ts'
import type { Platform } from './core/platform.ts'
import { recover } from './core/recovery.ts'
import { siteReader } from './core/sites.ts'
import type { AccessLog } from './core/stats/access.ts'
import { BufferedAccessLog, closedAccessLog, type OpenAccessLog } from './core/stats/access-log.ts'
import { Counter } from './core/stats/counter.ts'
import { Recorder } from './core/stats/recorder.ts'
import { saltsOf } from './core/stats/salts.ts'
import { type Urls, urlsAt } from './core/urls.ts'
import { visitorsOf } from './core/visitors.ts'
import { closedEdge, createEdge, type Edge } from './edge/edge.ts'
import { createForms } from './edge/forms/forms.ts'
import { createGate } from './edge/gate/gate.ts'
import { createHosts } from './edge/hosts.ts'
import { CertificateFiles } from './edge/https/certificate-files.ts'
import { Challenges } from './edge/https/challenges.ts'
import { createFront } from './edge/https/front.ts'
import { ShownCertificates } from './edge/https/shown-certificates.ts'
import { type InnerDoor, openInnerDoor } from './edge/inner-door.ts'
import type { MainLink } from './edge-workers/main-link.ts'
import { type Instance, lockInstance, openInstance } from './instance.ts'
import { keepCertificates } from './jobs/certificates.ts'
import { startCrons } from './jobs/crons.ts'
import { startWorker } from './jobs/worker.ts'
import { cameByHttps, clientAddress } from './lib/client-address.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { nanoClock } from './lib/nanoseconds.ts'
import type { Listener, Parts } from './listener.ts'
import { createLog } from './log.ts'
import { acmeClient } from './ports/acme/client.ts'
import { DiskAppLogs } from './ports/app-logs/disk.ts'
import type { KeptLogs } from './ports/app-logs/port.ts'
import { dnsResolver } from './ports/dns/resolver.ts'
import { hookDns01 } from './ports/dns01/hook.ts'
import { builtinForge } from './ports/forge/builtin.ts'
import type { GeoIp } from './ports/geo/port.ts'
import { requestProbe } from './ports/http-probe/request.ts'
import { type Mailer, noMailer } from './ports/mailer/port.ts'
import { openPacks, type PacksSettings } from './ports/packs/open.ts'
import type { Packs } from './ports/packs/port.ts'
import { httpSiteCaller } from './ports/site-call/http.ts'
import { handshakeProbe } from './ports/tls-probe/handshake.ts'
import { openSqlite } from './store/sqlite/store.ts'
import type { Store } from './store/store.ts'
import { createCompressor } from './threads/compress.ts'
import { createUnpacker } from './threads/unpack.ts'
import { version } from './version.ts'

export const roles = ['api', 'edge', 'runner', 'builder', 'worker'] as const
export type Role = (typeof roles)[number]

const dashboardDir = fileURLToPath(new URL('../../dashboard/dist/', import.meta.url))
const drainMs = 8_000

export interface RunningPlatform {
  readonly urls: Urls
  readonly port: number
  /** Of the HTTPS listener, where there is one. */
  readonly tlsPort: number | undefined
  readonly platform: Platform
  /** On an instance without an account: where to make the first one. */
  readonly setupLink: string | undefined
  stop(): Promise<void>
}

export interface StartOptions {
  log: Logger
  roles?: readonly Role[]
  clock?: Clock
  /** In an edge worker: the main process that it works for. */
  link?: MainLink
}

export async function startPlatform(settings: Settings, options: StartOptions): Promise<RunningPlatform> {
  const { log, clock = systemClock, roles: chosen = roles, link } = options
  // What was started is stopped in reverse, whether all of it came up or not.
  const stops: (() => Promise<unknown> | unknown)[] = []
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  try {
    const instance = openInstance(settings)
    if (chosen.includes('api')) stops.push(lockInstance(settings))
    const serves = chosen.includes('api') || chosen.includes('edge')
    const isEdge = chosen.includes('edge')
    const door = serves ? await openDoor(settings, { isEdge, link, log }) : undefined
    stops.push(() => door?.listener.stop(0))
    const port = door?.listener.port ?? settings.port
    const opened = await openStore(settings, instance, log)
    stops.push(() => opened.close())
    const store = door?.share(opened) ?? opened
    await store.migrate()
    const packs = await openPacksFor(settings, instance, log)
    stops.push(() => packs.close())
    const unpacker = createUnpacker(packsSettings(settings, instance))
    stops.push(() => unpacker.close())
    const mailer = await openMailer(settings, log)
    stops.push(() => mailer.close())
    const logs = openAppLogs(settings, instance, clock, log)
    stops.push(() => logs.close())
    const apps = openApps({ store, clock, nodeId: instance.nodeId }, settings, chosen.includes('runner'), log)
    stops.push(() => apps.close())
    const ports = { store, packs, clock, mailer, logs, apps, unpack: unpacker.unpack }
    const inner = isEdge && !link ? await openInnerDoor() : undefined
    stops.push(() => inner?.close())
    const platform = assemble(settings, instance, { ...ports, inner }, port)
    if (chosen.includes('api')) {
      const recovered = await recover(platform)
      log[recovered.leftAlone ? 'warn' : 'info'](recovered, 'recovered')
    }
    if (chosen.includes('runner')) stops.push(await runApps(platform, settings, instance, log))
    if (chosen.includes('worker')) stops.push(runWorker(platform, settings, instance, log))
    if (door) {
      const parts = link
        ? relayedParts(link, log)
        : chosen.includes('api')
          ? await controlPlane(platform, settings, log)
          : {}
      stops.push(await serve(platform, settings, { ...door, inner }, parts, log))
      await door.ready()
    }
    if (chosen.includes('worker')) stops.push(startCrons(platform, log).stop)
    const setupLink = (await setupNeeded(platform))
      ? `${platform.urls.dashboard}/setup#token=${platform.setupToken.reveal()}`
      : undefined
    return { urls: platform.urls, port, tlsPort: door?.listener.tlsPort, platform, setupLink, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** For commands that work beside a running server: the rules and the store, but no roles. */
export async function withPlatform<T>(work: (platform: Platform) => Promise<T>): Promise<T> {
  const settings = readSettings()
  const instance = openInstance(settings)
  const log = createLog(settings)
  const store = await openStore(settings, instance, log)
  const packs = await openPacksFor(settings, instance, log)
  try {
    await store.migrate()
    const unpack = async (): Promise<never> => {
      throw new Error('only a running server takes uploads')
    }
    const logs = openAppLogs(settings, instance, systemClock, log)
    const ports = { store, packs, clock: systemClock, mailer: noMailer, logs, apps: noApps, unpack }
    return await work(assemble(settings, instance, ports, settings.port))
  } finally {
    await packs.close()
    await store.close()
  }
}

export async function openStore(settings: Settings, instance: Instance, log: Logger): Promise<Store> {
  if (!settings.databaseUrl) return await openSqlite(instance.databaseFile)
  const { openPostgres } = await import('./store/postgres/store.ts')
  return await openPostgres(settings.databaseUrl.reveal(), (message, err) => log.warn({ err }, message))
}

export function packsSettings(settings: Settings, instance: Instance): PacksSettings {
  const store = s3Settings(settings)
  if (!store) return { kind: 'disk', dir: instance.packsDir }
  const { s3UploadsDir: uploadsDir, packCacheDir: cacheDir } = instance
  return { kind: 's3', store, uploadsDir, cacheDir, cacheBytes: settings.packCacheBytes }
}

function openPacksFor(settings: Settings, instance: Instance, log: Logger): Promise<Packs> {
  const onError = (err: unknown) => log.warn({ err }, 'a deployment could not be copied to the local disk')
  return openPacks(packsSettings(settings, instance), 'serving', onError)
}

function openAppLogs(settings: Settings, instance: Instance, clock: Clock, log: Logger): KeptLogs {
  return new DiskAppLogs({
    dir: instance.appLogsDir,
    bytesAtMost: settings.appLogBytes,
    now: nanoClock(clock),
    onError: err => log.error({ err }, 'lines of an app could not be kept'),
  })
}

async function openMailer(settings: Settings, log: Logger): Promise<Mailer> {
  if (!settings.smtpUrl) return noMailer
  const { smtpMailer } = await import('./ports/mailer/smtp.ts')
  const onError = (err: unknown) => log.error({ err }, 'an email could not be sent')
  return smtpMailer(settings.smtpUrl.reveal(), settings.mailFrom, onError)
}

type Ports = Pick<Platform, 'store' | 'packs' | 'clock' | 'mailer' | 'logs' | 'apps' | 'unpack'> & {
  inner?: InnerDoor | undefined
}

function assemble(settings: Settings, instance: Instance, ports: Ports, port: number): Platform {
  const { publicScheme: scheme, platformDomain: domain, allowPrivateTargets: allowPrivate } = settings
  const urls = urlsAt({ scheme, domain, port: publicPort(settings, port) })
  return {
    ...ports,
    forge: builtinForge(urls.dashboard),
    tlsProbe: handshakeProbe({ port: settings.certCheckPort, allowPrivate }),
    httpProbe: requestProbe({ port: settings.acmeHttpPort, allowPrivate }),
    dns: dnsResolver(settings.dnsServers),
    issuing: issuingBy(settings),
    callSite: httpSiteCaller(urls.site, ports.inner),
    urls,
    keyring: instance.keyring,
    nodeId: instance.nodeId,
    domain,
    dnsTarget: settings.dnsTarget,
    version,
    signups: settings.signups,
    setupToken: instance.keyring.current.derive('set-up link'),
    visitKey: instance.keyring.current.derive('site visits'),
    reservedNames: new Set([...reservedNames, settings.dnsTarget.split('.')[0] ?? '']),
    deviceInterval: settings.deviceInterval,
    billing: settings.billing,
    readyApps: settings.readyApps,
    analytics: settings.analytics === 'on',
  }
}

function issuingBy(settings: Settings): Issuing | undefined {
  const { acmeDirectory: directory, acmeEmail: email, acmeCaFile: caFile, dns01Hook, tlsCert } = settings
  if (directory === undefined) return undefined
  const dns01 = dns01Hook && !tlsCert ? hookDns01(dns01Hook) : undefined
  return { acme: acmeClient({ directory, email, caFile }), dns01 }
}

/** Written only where it is not the scheme's own. */
function publicPort(settings: Settings, port: number): number | undefined {
  const shown = settings.publicPort ?? (settings.publicScheme === 'http' ? port : undefined)
  return shown === (settings.publicScheme === 'http' ? 80 : 443) ? undefined : shown
}

async function serve(
  platform: Platform,
  settings: Settings,
  { listener, servesSites, inner }: Door & { inner: InnerDoor | undefined },
  parts: Partial<Parts>,
  log: Logger,
): Promise<() => Promise<void>> {
  const geo = await openGeo(settings, log)
  const accessLog = openAccessLog(platform, settings, geo, log)
  // Where other processes serve the visitors, this one's edge is for the platform's own requests.
  const ownEdge = servesSites || inner ? openEdge(platform, settings, { accessLog, geo }, log) : closedEdge
  const edge = servesSites ? ownEdge : closedEdge
  const { front, tls, close } = openFront(platform, settings, listener, log)
  const hosts = createHosts(settings.platformDomain)
  listener.serve({ hosts, parts, edge, front, tls })
  inner?.serve(ownEdge, hosts)
  return async () => {
    await listener.stop(drainMs)
    ownEdge.close()
    close()
    await accessLog.close()
    geo.close()
  }
}

/** HTTPS, and what of it plain HTTP must know. */
function openFront(platform: Platform, settings: Settings, { tlsPort }: Listener, log: Logger) {
  const onError = (err: unknown) => log.error({ err }, 'HTTPS is in trouble')
  const { tlsCert: cert, tlsKey: key, platformDomain: domain, publicScheme, publicPort = 443 } = settings
  const certificates = new ShownCertificates({
    stored: certificateReader(platform),
    changes: platform.store.changes,
    clock: platform.clock,
    domain,
    files: cert && key ? new CertificateFiles({ cert, key }, onError) : undefined,
  })
  const challenges = new Challenges(challengeReader(platform), platform.store.changes, platform.clock)
  const front = createFront({
    challenge: (host, token) => challenges.answer(host, token),
    https:
      tlsPort === undefined
        ? undefined
        : { certificates, port: publicScheme === 'https' ? publicPort : tlsPort },
    cameSecurely: cameByHttps(trustedAddresses(settings)),
    onError,
  })
  const close = () => {
    certificates.close()
    challenges.close()
  }
  const tls = { certificates, tickets: platform.keyring.current.derive('tls tickets') }
  return { front, tls, close }
}

function openEdge(
  platform: Platform,
  settings: Settings,
  { accessLog, geo }: { accessLog: AccessLog; geo: GeoIp },
  log: Logger,
): Edge {
  const addressOf = clientAddress(trustedAddresses(settings))
  const onError = (err: unknown) => log.error({ err }, 'the edge could not answer')
  const gate = createGate({
    visitors: visitorsOf(platform),
    isScheduled: scheduledRequests(platform),
    clock: platform.clock,
    key: platform.visitKey,
    secure: settings.publicScheme === 'https',
    dashboard: platform.urls.dashboard,
    clientAddress: addressOf,
  })
  const forms = createForms({
    intake: formIntakeOf(platform),
    clientAddress: addressOf,
    countryOf: async req => (await geo.country(addressOf(req))) ?? null,
    onError,
  })
  return createEdge({
    log: accessLog,
    sites: siteReader(platform.store.db),
    changes: platform.store.changes,
    packs: platform.packs,
    clock: platform.clock,
    gate,
    apps: platform.apps,
    isTrusted: trustedAddresses(settings),
    settings: {
      cacheBytes: settings.appCacheBytes,
      patience: { answer: settings.appAnswerSeconds * 1000, silence: settings.appSilenceSeconds * 1000 },
    },
    forms,
    onError,
  })
}

async function openGeo(settings: Settings, log: Logger): Promise<GeoIp> {
  const { bundledDatabase, mmdbGeoIp } = await import('./ports/geo/mmdb.ts')
  const onError = (err: unknown) => log.error({ err }, 'the database of countries cannot be read')
  return mmdbGeoIp(settings.geoDatabase ?? bundledDatabase(), onError)
}

function openAccessLog(platform: Platform, settings: Settings, geo: GeoIp, log: Logger): OpenAccessLog {
  if (!platform.analytics) return closedAccessLog
  const { store, keyring } = platform
  const onLoss = (requests: number) => log.error({ requests }, 'requests were served but not counted')
  const counter = new Counter({
    geo,
    saltOf: saltsOf(store.db, keyring.current.derive('visitors of a day')),
    isTrusted: trustedAddresses(settings),
    countryHeader: settings.countryHeader,
  })
  return new BufferedAccessLog({
    counter,
    recorder: new Recorder(store, onLoss),
    onLoss,
    onError: err => log.warn({ err }, 'traffic cannot be written to the stats for now'),
  })
}

async function controlPlane(platform: Platform, settings: Settings, log: Logger): Promise<Partial<Parts>> {
  return {
    api: createApi({ platform, log, clientAddress: clientAddress(trustedAddresses(settings)) }),
    dashboard: await createDashboard(platform, settings.platformDomain, dashboardDir),
    'dashboard-redirect': (req, res) => {
      res
        .writeHead(308, { location: `${platform.urls.dashboard}${req.url?.startsWith('/') ? req.url : '/'}` })
        .end()
    },
    docs: createDocs(platform),
    status: createStatusPage(platform),
  }
}

function runWorker(
  platform: Platform,
  settings: Settings,
  instance: Instance,
  log: Logger,
): () => Promise<void> {
  const compressor = createCompressor(packsSettings(settings, instance))
  const worker = startWorker(platform, compressor.makeVariants, log)
  const certificates = platform.issuing && keepCertificates(platform, platform.issuing, log)
  return async () => {
    await certificates?.stop()
    await worker.stop()
    await compressor.close()
  }
}
