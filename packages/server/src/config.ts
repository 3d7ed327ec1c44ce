// The settings of svcd: environment variables with the prefix SVCD_, or a file of the same names. Nothing else
// in the program reads process.env.
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import path from 'node:path'
import { type AiSettings, aiSettings } from './config/ai.ts'
import { type BillingSettings, billingSettings } from './config/billing.ts'
import { type GitHubSettings, readGitHubSettings } from './config/github.ts'
import {
  choice,
  matching,
  type Rule,
  SettingError,
  type Source,
  secret,
  text,
  url,
  whole,
} from './config/values.ts'
import { Secret } from './lib/secret.ts'
import type { S3Settings } from './ports/packs/s3/client.ts'
import { readS3Url } from './ports/packs/s3/url.ts'

export { SettingError } from './config/values.ts'

const MB = 1024 * 1024
const GB = 1024 * MB

export interface Settings extends GitHubSettings, AiSettings, BillingSettings {
  host: string
  port: number
  dataDir: string
  platformDomain: string
  publicScheme: 'http' | 'https'
  /** Undefined: the scheme's own port, or on localhost the port listened on. */
  publicPort: number | undefined
  databaseUrl: Secret | undefined
  storageUrl: Secret | undefined
  s3AccessKeyId: string | undefined
  s3SecretAccessKey: Secret | undefined
  /** For copies of what lies in a remote storage. */
  packCacheBytes: number
  secretKey: Secret | undefined
  /** Keys that sealed values before; they open, but seal nothing any more. */
  secretKeysOld: Secret[]
  signups: 'open' | 'invite' | 'closed'
  /** When people must prove that a domain is theirs. */
  domainProof: 'claims' | 'always' | 'off'
  /** Undefined: no HTTPS listener. */
  tlsPort: number | undefined
  /** Files of the operator's own certificate, for the platform's names. */
  tlsCert: string | undefined
  tlsKey: string | undefined
  /** Undefined: no certificates are issued. */
  acmeDirectory: string | undefined
  acmeEmail: string | undefined
  acmeCaFile: string | undefined
  /** Where the authority comes for its challenges; another than 80 in tests. */
  acmeHttpPort: number
  /** A program that writes TXT records, for the platform's own certificate. */
  dns01Hook: string | undefined
  /** Empty: the system's. */
  dnsServers: string[]
  dnsTarget: string
  trustProxy: string[]
  /** Processes that serve sites beside the main one; 0: the main one does. */
  edgeWorkers: number
  /** Whether common requests are read and answered on the raw socket, before node:http and node:http2. */
  fastLanes: boolean
  /** Open at a time in one process, in all and from one network; 0: no bound for one network. */
  maxConnections: number
  maxConnectionsPerIp: number
  /** Of a request's line and header fields. */
  maxHeaderBytes: number
  /** How long a client may take for a request's head, for all of it, and be silent. */
  headersSeconds: number
  requestSeconds: number
  silenceSeconds: number
  /** How long server apps may take until an answer begins, and between two parts of it. */
  appAnswerSeconds: number
  appSilenceSeconds: number
  appMaxRequests: number
  /** Memory of each edge for answers of server apps. */
  appCacheBytes: number
  /** Where the certificate status looks; another than 443 in tests. */
  certCheckPort: number
  allowPrivateTargets: boolean
  deviceInterval: number
  smtpUrl: Secret | undefined
  mailFrom: string
  /** What is kept of what the apps of a project write. */
  appLogBytes: number
  appLogDays: number
  analytics: 'on' | 'off'
  /** An operator's own database of addresses and their countries. */
  geoDatabase: string | undefined
  /** In which trusted proxies name the client's country; lower-case. */
  countryHeader: string | undefined
  runner: 'auto' | 'process' | 'docker'
  /** The container engine, the image that apps run in, its runtime (such as `runsc`), and the apps' network. */
  dockerHost: string
  runtimeImage: string
  dockerRuntime: string | undefined
  dockerNetwork: string
  /** What server apps may connect to: everything, public addresses, or nothing. */
  appOutbound: 'on' | 'public' | 'off'
  /** Whether server apps may run as processes where there is no sandbox for them. */
  unsandboxedApps: boolean
  /** Without a request for so long, a server app is stopped. */
  idleSeconds: number
  /** Apps of one owner that are never stopped, where no plan says it. */
  readyApps: number
  /** Apps that run on this machine at a time. */
  maxApps: number
  /** What uploads leave free on the disk; undefined: a twentieth of it, at most 1 GB. */
  diskReserveMb: number | undefined
  /** What one instance of an app may use. */
  appMemoryMb: number
  appPids: number
  appCpuPercent: number
  /** An event loop that stands still for longer is logged as blocked; 0: nobody watches. */
  loopBlockMs: number
  /** What one push to the built-in forge may send, and what a repository may hold. */
  gitPushBytes: number
  gitRepositoryBytes: number
  /** Builds at a time on this machine, how long one may take, and what it may use. */
  buildsAtOnce: number
  buildMinutes: number
  buildMemoryMb: number
  buildCpuPercent: number
  buildDiskMb: number
  /** The image that builds run in, where apps run as containers. */
  buildImage: string
  /** What is kept of earlier builds on this machine; 0: nothing. */
  buildCacheBytes: number
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** What settings were read from, for processes that are to have the same. */
const sources = new WeakMap<Settings, Source>()

export function environmentOf(settings: Settings): Record<string, string> {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(sources.get(settings) ?? {}))
    if (name.startsWith('SVCD_') && value !== undefined) own[name] = value
  return own
}

/** A variable that another setting names, such as that of an AI provider's key. */
export const variableOf = (settings: Settings, name: string): string | undefined =>
  sources.get(settings)?.[name]

export function readSettings(environment: Source = process.env): Settings {
  const source = { ...fromFile(environment.SVCD_CONFIG), ...environment }
  const domain = text(source, 'SVCD_PLATFORM_DOMAIN', 'localhost').toLowerCase()
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain))
    throw new SettingError('SVCD_PLATFORM_DOMAIN', 'must be a domain name such as example.com')
  const local = domain === 'localhost' || domain.endsWith('.localhost')
  const signups = choice(source, 'SVCD_SIGNUPS', 'invite', ['open', 'invite', 'closed'])
  const settings: Settings = {
    host: text(source, 'SVCD_HOST', '127.0.0.1'),
    port: whole(source, 'SVCD_PORT', 8080, 0, 65_535),
    dataDir: path.resolve(text(source, 'SVCD_DATA_DIR', './data')),
    platformDomain: domain,
    publicScheme: choice(source, 'SVCD_PUBLIC_SCHEME', local ? 'http' : 'https', ['http', 'https']),
    publicPort: source.SVCD_PUBLIC_PORT ? whole(source, 'SVCD_PUBLIC_PORT', 0, 1, 65_535) : undefined,
    databaseUrl: url(source, 'SVCD_DATABASE_URL', ['postgres:', 'postgresql:']),
    storageUrl: url(source, 'SVCD_STORAGE_URL', ['s3:']),
    s3AccessKeyId: text(source, 'SVCD_S3_ACCESS_KEY_ID', '') || undefined,
    s3SecretAccessKey: secret(source, 'SVCD_S3_SECRET_ACCESS_KEY'),
    packCacheBytes: whole(source, 'SVCD_PACK_CACHE_BYTES', 10 * GB, 1024 * MB, 1024 * 1024 * GB),
    secretKey: secretKeys(source, 'SVCD_SECRET_KEY')[0],
    secretKeysOld: secretKeys(source, 'SVCD_SECRET_KEYS_OLD'),
    signups,
    domainProof: choice(source, 'SVCD_DOMAIN_PROOF', signups === 'open' ? 'always' : 'claims', [
      'claims',
      'always',
      'off',
    ]),
    tlsPort: source.SVCD_TLS_PORT ? whole(source, 'SVCD_TLS_PORT', 0, 0, 65_535) : undefined,
    ...certificateFiles(source),
    acmeDirectory: url(source, 'SVCD_ACME_DIRECTORY', ['https:', 'http:'])?.reveal(),
    acmeEmail: text(source, 'SVCD_ACME_EMAIL', '') || undefined,
    acmeCaFile: text(source, 'SVCD_ACME_CA_FILE', '') || undefined,
    acmeHttpPort: whole(source, 'SVCD_ACME_HTTP_PORT', 80, 1, 65_535),
    dns01Hook: text(source, 'SVCD_DNS01_HOOK', '') || undefined,
    dnsServers: dnsServers(source),
    dnsTarget: text(source, 'SVCD_DNS_TARGET', `edge.${domain}`).toLowerCase().replace(/\.$/, ''),
    trustProxy: addresses(source, 'SVCD_TRUST_PROXY'),
    edgeWorkers: whole(source, 'SVCD_EDGE_WORKERS', 0, 0, 256),
    fastLanes: choice(source, 'SVCD_FAST_LANES', '1', ['0', '1']) === '1',
    maxConnections: whole(source, 'SVCD_MAX_CONNECTIONS', 10_000, 1, 1_000_000),
    maxConnectionsPerIp: whole(source, 'SVCD_MAX_CONNECTIONS_PER_IP', 1_000, 0, 1_000_000),
    maxHeaderBytes: whole(source, 'SVCD_MAX_HEADER_BYTES', 16 * 1024, 1024, MB),
    headersSeconds: whole(source, 'SVCD_HEADERS_SECONDS', 30, 1, 3600),
    requestSeconds: whole(source, 'SVCD_REQUEST_SECONDS', 3600, 1, 86_400),
    silenceSeconds: whole(source, 'SVCD_SILENCE_SECONDS', 600, 1, 86_400),
    appAnswerSeconds: whole(source, 'SVCD_APP_ANSWER_SECONDS', 60, 1, 3600),
    appSilenceSeconds: whole(source, 'SVCD_APP_SILENCE_SECONDS', 300, 1, 3600),
    appMaxRequests: whole(source, 'SVCD_APP_MAX_REQUESTS', 1_000, 1, 1_000_000),
    appCacheBytes: whole(source, 'SVCD_APP_CACHE_BYTES', 64 * MB, 0, 64 * GB),
    certCheckPort: whole(source, 'SVCD_CERT_CHECK_PORT', 443, 1, 65_535),
    allowPrivateTargets: choice(source, 'SVCD_ALLOW_PRIVATE_TARGETS', '0', ['0', '1']) === '1',
    deviceInterval: whole(source, 'SVCD_DEVICE_INTERVAL', 5, 0, 60),
    smtpUrl: url(source, 'SVCD_SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: text(source, 'SVCD_MAIL_FROM', `svc <no-reply@${domain}>`),
    ...billingSettings(source, local),
    ...aiSettings(source),
    appLogBytes: whole(source, 'SVCD_APP_LOG_BYTES', 32 * MB, 1 * MB, 64 * GB),
    appLogDays: whole(source, 'SVCD_APP_LOG_DAYS', 14, 1, 3650),
    analytics: choice(source, 'SVCD_ANALYTICS', 'on', ['on', 'off']),
    geoDatabase: text(source, 'SVCD_GEO_DATABASE', '') || undefined,
    countryHeader: text(source, 'SVCD_COUNTRY_HEADER', '').toLowerCase() || undefined,
    runner: choice(source, 'SVCD_RUNNER', 'auto', ['auto', 'process', 'docker']),
    dockerHost: matching(source, 'SVCD_DOCKER_HOST', 'unix:///var/run/docker.sock', engineHosts),
    runtimeImage: text(source, 'SVCD_RUNTIME_IMAGE', 'node:22-slim'),
    dockerRuntime: text(source, 'SVCD_DOCKER_RUNTIME', '') || undefined,
    dockerNetwork: matching(source, 'SVCD_DOCKER_NETWORK', 'svc-apps', networkNames),
    appOutbound: appOutbound(source),
    unsandboxedApps: choice(source, 'SVCD_UNSANDBOXED_APPS', '0', ['0', '1']) === '1',
    idleSeconds: whole(source, 'SVCD_IDLE_SECONDS', 300, 1, 86_400),
    readyApps: whole(source, 'SVCD_READY_APPS', 0, 0, 10_000),
    maxApps: whole(source, 'SVCD_MAX_APPS', 200, 1, 100_000),
    diskReserveMb: source.SVCD_DISK_RESERVE_MB
      ? whole(source, 'SVCD_DISK_RESERVE_MB', 0, 0, 1024 * 1024 * 1024)
      : undefined,
    appMemoryMb: whole(source, 'SVCD_APP_MEMORY_MB', 512, 64, 1024 * 1024),
    appPids: whole(source, 'SVCD_APP_PIDS', 256, 32, 100_000),
    appCpuPercent: whole(source, 'SVCD_APP_CPU_PERCENT', 200, 10, 100_000),
    loopBlockMs: whole(source, 'SVCD_LOOP_BLOCK_MS', 250, 0, 60_000),
    gitPushBytes: whole(source, 'SVCD_GIT_PUSH_BYTES', 512 * MB, 1 * MB, 1024 * GB),
    gitRepositoryBytes: whole(source, 'SVCD_GIT_REPOSITORY_BYTES', 2 * GB, 1 * MB, 1024 * GB),
    buildsAtOnce: whole(source, 'SVCD_BUILDS_AT_ONCE', 1, 1, 64),
    buildMinutes: whole(source, 'SVCD_BUILD_MINUTES', 15, 1, 240),
    buildMemoryMb: whole(source, 'SVCD_BUILD_MEMORY_MB', 2048, 128, 1024 * 1024),
    buildCpuPercent: whole(source, 'SVCD_BUILD_CPU_PERCENT', 100, 10, 100_000),
    buildDiskMb: whole(source, 'SVCD_BUILD_DISK_MB', 4096, 64, 1024 * 1024),
    buildImage: text(source, 'SVCD_BUILD_IMAGE', '') || text(source, 'SVCD_RUNTIME_IMAGE', 'node:22-slim'),
    buildCacheBytes: whole(source, 'SVCD_BUILD_CACHE_BYTES', 8 * GB, 0, 1024 * GB),
    ...readGitHubSettings(source, (name, problem) => new SettingError(name, problem)),
    logLevel: choice(source, 'SVCD_LOG_LEVEL', 'info', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  }
  sources.set(settings, source)
  s3Settings(settings) // A storage that cannot be meant stops the program here, not at the first upload.
  return settings
}

/** Undefined where deployments are kept in the data directory. */
export function s3Settings(settings: Settings): S3Settings | undefined {
  const { storageUrl, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secret } = settings
  if ((accessKeyId === undefined) !== (secret === undefined)) {
    const missing = accessKeyId === undefined ? 'SVCD_S3_ACCESS_KEY_ID' : 'SVCD_S3_SECRET_ACCESS_KEY'
    throw new SettingError(missing, 'is missing: the access key and its secret belong together')
  }
  if (!storageUrl) return undefined
  try {
    return readS3Url(
      storageUrl.reveal(),
      accessKeyId && secret ? { accessKeyId, secretAccessKey: secret.reveal() } : undefined,
    )
  } catch (error) {
    throw new SettingError('SVCD_STORAGE_URL', (error as Error).message)
  }
}

/** The settings as an operator may read them: names as in the environment, secrets redacted. */
export function describeSettings(settings: Settings): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [name, value] of Object.entries(settings)) {
    const variable = `SVCD_${name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`
    shown[variable] = value === undefined ? '' : String(value)
  }
  return shown
}

/** Whether an address is one whose X-Forwarded-* headers are believed. */
export function trustedAddresses(settings: Settings): (address: string) => boolean {
  if (settings.trustProxy.length === 0) return () => false
  const list = new BlockList()
  for (const entry of settings.trustProxy) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return address => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** SVCD_DOCKER_OUTBOUND is its name of before; of the two, the new one wins. */
function appOutbound(source: Source): Settings['appOutbound'] {
  const former = choice(source, 'SVCD_DOCKER_OUTBOUND', 'on', ['on', 'off']) === 'off' ? 'off' : 'public'
  return choice(source, 'SVCD_APP_OUTBOUND', former, ['on', 'public', 'off'])
}

function certificateFiles(source: Source): Pick<Settings, 'tlsCert' | 'tlsKey'> {
  const tlsCert = text(source, 'SVCD_TLS_CERT', '') || undefined
  const tlsKey = text(source, 'SVCD_TLS_KEY', '') || undefined
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const missing = tlsCert === undefined ? 'SVCD_TLS_CERT' : 'SVCD_TLS_KEY'
    throw new SettingError(missing, 'is missing: the certificate and its key belong together')
  }
  if (tlsCert !== undefined && !source.SVCD_TLS_PORT)
    throw new SettingError('SVCD_TLS_PORT', 'is missing: there is a certificate, and no port to show it on')
  return { tlsCert, tlsKey }
}

function dnsServers(source: Source): string[] {
  const entries = text(source, 'SVCD_DNS_SERVERS', '')
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean)
  for (const entry of entries)
    if (isIP(entry) === 0 && !/^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:]+\]):\d{1,5}$/i.test(entry))
      throw new SettingError(
        'SVCD_DNS_SERVERS',
        `must be addresses such as 1.1.1.1 or 1.1.1.1:53, not '${entry}'`,
      )
  return entries
}

const engineHosts: Rule = {
  pattern: /^(unix:\/\/\/.|tcp:\/\/[^/:]+:\d+$)/,
  problem: 'must be unix:///path/of/the.sock or tcp://host:port',
}
/** It names a network interface, too, and those are short. */
const networkNames: Rule = {
  pattern: /^[a-z][a-z0-9-]{0,14}$/,
  problem: 'must have up to 15 lower-case letters, digits and dashes, and begin with a letter',
}

function secretKeys(source: Source, name: 'SVCD_SECRET_KEY' | 'SVCD_SECRET_KEYS_OLD'): Secret[] {
  const values = text(source, name, '').split(',').filter(Boolean)
  if (name === 'SVCD_SECRET_KEY' && values.length > 1)
    throw new SettingError(name, 'must be one key; older ones belong in SVCD_SECRET_KEYS_OLD')
  if (values.some(value => Buffer.from(value, 'base64').length !== 32))
    throw new SettingError(name, 'must be 32 bytes in base64')
  return values.map(value => new Secret(value.trim()))
}

function addresses(source: Source, name: string): string[] {
  const entries = text(source, name, 'off')
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '' && entry !== 'off')
  for (const entry of entries) {
    const [address = '', bits = '0', more] = entry.split('/')
    const version = isIP(address)
    if (
      version === 0 ||
      more !== undefined ||
      !/^\d+$/.test(bits) ||
      Number(bits) > (version === 6 ? 128 : 32)
    )
      throw new SettingError(name, `must be 'off' or addresses such as 127.0.0.1, 10.0.0.0/8, not '${entry}'`)
  }
  return entries
}

function fromFile(file: string | undefined): Source {
  if (!file) return {}
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingError('SVCD_CONFIG', `names a file that cannot be read: ${(error as Error).message}`)
  }
  const values: Source = {}
  for (const [index, raw] of content.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const equals = line.indexOf('=')
    const name = line.slice(0, Math.max(0, equals)).trim()
    const value = line.slice(equals + 1).trim()
    if (!/^SVCD_[A-Z0-9_]+$/.test(name))
      throw new SettingError('SVCD_CONFIG', `line ${index + 1} is not SVCD_NAME=value`)
    values[name] = value.replace(/^(["'])(.*)\1$/, '$2')
  }
  return values
}
