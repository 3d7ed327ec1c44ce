// The settings that operators change in the dashboard: what the tables of settings say of them, and which of them take effect
// without a restart.
import type { SettingsSection } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import type { Logger } from 'pino'
import type { Setting } from '../config/setting.ts'
import {
  operatorSections,
  originOf,
  SettingError,
  type Settings,
  settingNames,
  storedIn,
  withStored,
} from '../config.ts'
import type { OperatorSettings, StoredSettings } from '../core/base/parts.ts'
import type { Platform } from '../core/base/platform.ts'
import { openSettings } from '../core/platform/stored-settings.ts'
import { Fault } from '../lib/fault.ts'
import type { Mailer } from '../ports/mailer/port.ts'
import { storedSettings } from '../store/platform/operator-settings.ts'
import { version } from '../version.ts'
import { readAiFiles } from './ai.ts'
import { backupPlan } from './backups.ts'
import { defaultLimits } from './default-limits.ts'
import { openMailer } from './ports.ts'

/** Apps are counted with the limit that the process started with. */
const takeEffectAtOnce: ReadonlySet<string> = new Set([
  ...['SVCD_SIGNUPS', 'SVCD_DEVICE_INTERVAL', 'SVCD_ACCOUNT_GRACE_DAYS', 'SVCD_SMTP_URL', 'SVCD_MAIL_FROM'],
  ...['SVCD_LIMIT_PROJECTS', 'SVCD_LIMIT_ORGS', 'SVCD_LIMIT_STORED_MB'],
  ...['SVCD_LIMIT_BANDWIDTH_GB', 'SVCD_LIMIT_BUILD_MINUTES'],
])

type LiveParts = Pick<Platform, 'signups' | 'deviceInterval' | 'accountGraceMs' | 'defaultLimits'>

/** The parts of the platform that follow from settings which take effect at once. */
export const livePartsOf = (settings: Settings): LiveParts => ({
  signups: settings.signups,
  deviceInterval: settings.deviceInterval,
  accountGraceMs: settings.accountGraceDays * dayMs,
  defaultLimits: defaultLimits(settings),
})

/** A mailer that another one can take the place of. */
interface ReplaceableMailer extends Mailer {
  replace(mailer: Mailer): void
}

export function replaceableMailer(first: Mailer): ReplaceableMailer {
  let current = first
  return {
    get isConfigured() {
      return current.isConfigured
    },
    send: mail => current.send(mail),
    check: () => current.check(),
    close: () => current.close(),
    replace(mailer) {
      current.close()
      current = mailer
    },
  }
}

interface Surroundings {
  mailer: ReplaceableMailer
  canRestart: boolean
  log: Logger
}

export class StoredOperatorSettings implements OperatorSettings {
  readonly canRestart: boolean
  readonly githubUrl: string
  readonly #settings: Settings
  readonly #mailer: ReplaceableMailer
  readonly #log: Logger
  /** What is in effect in this process. */
  #applied: StoredSettings
  /** Set once the platform is made of its parts. */
  #change: (parts: LiveParts) => void = () => undefined

  constructor(settings: Settings, { mailer, canRestart, log }: Surroundings) {
    this.canRestart = canRestart
    this.githubUrl = settings.githubUrl
    this.#settings = settings
    this.#applied = storedIn(settings) as StoredSettings
    this.#mailer = mailer
    this.#log = log
  }

  /** Keeps the parts of the platform in step with the rows, whichever node changes them. */
  follow(platform: Pick<Platform, 'store' | 'keyring'> & LiveParts): () => void {
    this.#change = parts => Object.assign(platform, parts)
    return platform.store.changes.subscribe(change => {
      if (change.topic !== 'everything' && (change.topic !== 'setting' || change.key === 'restart')) return
      storedSettings(platform.store.db)
        .then(rows => this.apply(openSettings(platform.keyring, rows).values))
        .catch(err => this.#log.warn({ err }, 'could not read the settings of the dashboard'))
    })
  }

  describe(stored: StoredSettings): SettingsSection[] {
    const shown = this.#readable(stored)
    return operatorSections.map(({ title, rows }) => ({
      title,
      settings: rows.map(row => this.#describe(row, shown, stored)),
    }))
  }

  #describe(row: Setting<unknown>, settings: Settings, stored: StoredSettings) {
    const { variable, kind, fallback, meaning } = row
    const value = settings[settingNames.get(variable)!]
    const isUnset = value === undefined
    const origin = originOf(settings, variable)
    const isGiven = origin === 'environment' || origin === 'file'
    return {
      name: variable,
      meaning,
      accepts: kind.accepts,
      options: kind.options ? [...kind.options] : null,
      is_secret: kind.isSecret ?? false,
      is_long: kind.isLong ?? false,
      source: origin,
      is_set: origin !== 'default',
      value: kind.isSecret || isUnset ? null : kind.print(value),
      default: fallback.words ?? wordsOf(row),
      takes_effect: takeEffectAtOnce.has(variable) ? ('at once' as const) : ('restart' as const),
      pending: !isGiven && this.#applied[variable] !== stored[variable],
    }
  }

  check(stored: StoredSettings, changed: readonly string[]): void {
    for (const name of changed) this.#requireChangeable(name)
    const known = new Set(operatorSections.flatMap(({ rows }) => rows.map(({ variable }) => variable)))
    for (const name of Object.keys(stored))
      if (!known.has(name) && !changed.includes(name)) throw unknown(name)
    this.#read(stored)
  }

  #requireChangeable(name: string): void {
    const row = operatorSections.flatMap(({ rows }) => rows).find(({ variable }) => variable === name)
    if (!row) throw unknown(name)
    const origin = originOf(this.#settings, name)
    if (origin === 'environment' || origin === 'file')
      throw new Fault(
        'invalid_request',
        `${name} is set by the ${origin}, which wins. Change or remove it there.`,
      )
  }

  async openMailer(stored: StoredSettings, onError: (error: unknown) => void): Promise<Mailer> {
    return await openMailer(this.#read(stored), onError)
  }

  async takeGitHubApp(code: string) {
    const { keysOfNewApp } = await import('../ports/github/manifest.ts')
    const { githubUrl: url, githubApiUrl: apiUrl, forge } = this.#settings
    const keys = await keysOfNewApp({ url, apiUrl }, `svc/${version}`, code)
    const changes: Record<string, string> = {
      SVCD_FORGE: [...new Set([...forge, 'github'])].join(','),
      SVCD_GITHUB_APP_ID: keys.appId,
      SVCD_GITHUB_APP_SLUG: keys.slug,
      SVCD_GITHUB_CLIENT_ID: keys.clientId,
      SVCD_GITHUB_CLIENT_SECRET: keys.clientSecret,
      SVCD_GITHUB_PRIVATE_KEY: keys.privateKey,
      SVCD_GITHUB_WEBHOOK_SECRET: keys.webhookSecret,
    }
    // What the server sets to the same value needs no row.
    if (forge.includes('github')) delete changes.SVCD_FORGE
    return { slug: keys.slug, page: keys.page, changes }
  }

  async apply(stored: StoredSettings): Promise<void> {
    const next: Record<string, string> = { ...this.#applied }
    for (const name of takeEffectAtOnce) {
      const value = stored[name]
      if (value === undefined) delete next[name]
      else next[name] = value
    }
    const mailOf = ({ SVCD_SMTP_URL: url, SVCD_MAIL_FROM: from }: StoredSettings) =>
      JSON.stringify([url, from])
    const isOtherMail = mailOf(next) !== mailOf(this.#applied)
    const settings = withStored(this.#settings, next)
    this.#applied = next
    this.#change(livePartsOf(settings))
    if (!isOtherMail) return
    const onError = (err: unknown) => this.#log.error({ err }, 'could not send an email')
    this.#mailer.replace(await openMailer(settings, onError))
  }

  /** What a start with these settings would read. */
  #read(stored: StoredSettings): Settings {
    try {
      const settings = withStored(this.#settings, stored)
      backupPlan(settings)
      readAiFiles(settings)
      return settings
    } catch (error) {
      if (error instanceof SettingError) throw new Fault('invalid_request', `${error.message}.`)
      throw error
    }
  }

  /** The page shows settings also while those of the environment do not fit them. */
  #readable(stored: StoredSettings): Settings {
    try {
      return withStored(this.#settings, stored)
    } catch {
      return this.#settings // `svcd start` says what does not fit.
    }
  }
}

const unknown = (name: string): Fault =>
  new Fault(
    'invalid_request',
    `${name.slice(0, 60)} cannot be changed in the dashboard. Set it on the server.`,
  )

/** The default in the words of the docs. */
function wordsOf({ kind, fallback }: Setting<unknown>): string {
  const value = fallback.from({} as never)
  return value === undefined ? 'none' : `\`${kind.print(value)}\``
}
