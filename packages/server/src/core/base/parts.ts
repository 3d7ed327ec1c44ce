// Parts of the platform that nouns implement. The base imports no noun, so it knows these parts by their interfaces.
import type { Readable } from 'node:stream'
import type { SettingsSection } from '@svc/contract'
import type { Acme } from '../../ports/acme/port.ts'
import type { Dns01 } from '../../ports/dns01/port.ts'
import type { Mailer } from '../../ports/mailer/port.ts'
import type { AiCounts } from '../../store/ai/ai.ts'

/** Records when tokens were last used. */
export interface TokenUses {
  /** `stored` is the time of the last use in the database. */
  note(tokenId: string, stored: number | null): void
  /** Lists of tokens call this first, so that they show the latest uses. */
  write(): Promise<void>
  close(): Promise<void>
}

/** Streams of what changes in projects. */
export interface LiveEvents {
  /** How many streams are open. */
  readonly size: number
  /** Opens a stream of the events of all workspaces of an account, or of one of them. */
  open(tokenId: string, accountId: string, only?: string): Promise<Readable>
  close(): void
}

/** One answer of the AI gateway. */
export interface AiUse extends Omit<AiCounts, 'requests'> {
  ownerId: string
  tokenId: string
  model: string
}

/** Counts the usage of the AI gateway. */
export interface AiUsage {
  /** Called when rows could not be written, with the number of rows lost. */
  onError: (error: unknown, lost: number) => void
  note(use: AiUse): void
  /** Ends the reservation of a request when its use is written. */
  release(ownerId: string, reservation: string): void
  /** Writes what is waiting, if some of it is the owner's. */
  writeOf(ownerId: string): Promise<void>
  /** Reports call this first, so that they include the latest usage. */
  write(): Promise<void>
  close(): Promise<void>
}

/** The parts that issue certificates. Without them, the platform issues none. */
export interface Issuing {
  acme: Acme
  /** For the platform's wildcard certificate. `undefined` if it is not issued by DNS-01. */
  dns01: Dns01 | undefined
  /** Without a wildcard certificate, each host below the platform's domain gets its own. */
  perHost: boolean
  backoff: AuthorityBackoff
}

/** After an error of the certificate authority, no requests are sent to it for a while, for any name. */
interface AuthorityBackoff {
  pause(now: number, words: string, retryAfter?: number): void
  /** The reason and the end of the pause. `undefined` if there is none. */
  activeAt(now: number): { words: string; until: number } | undefined
}

/** A seller or a buyer, as invoices name them. */
export interface Party {
  name: string
  address: string[]
  vat_number: string | null
  email: string | null
}

/** What the dashboard has changed: the text of each setting by the name of its variable. */
export type StoredSettings = Readonly<Record<string, string>>

/** The settings that operators change in the dashboard. The tables of settings say which ones these are. */
export interface OperatorSettings {
  describe(stored: StoredSettings): SettingsSection[]
  /** Throws a Fault if one of `changed` cannot be changed here, or if svcd could not start with these settings. */
  check(stored: StoredSettings, changed: readonly string[]): void
  /** Sends with these settings, also if they are not in effect yet. */
  openMailer(stored: StoredSettings, onError: (error: unknown) => void): Promise<Mailer>
  /** The GitHub that the settings in effect mean. */
  readonly githubUrl: string
  /** Fetches the keys of an App that GitHub has just made. Throws a GitHubError. */
  takeGitHubApp(code: string): Promise<{ slug: string; page: string; changes: Record<string, string> }>
  /** Puts into effect what needs no restart. */
  apply(stored: StoredSettings): Promise<void>
  /** Whether a successor can take the place of this process. A container and a terminal end with their process. */
  readonly canRestart: boolean
}
