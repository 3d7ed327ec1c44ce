// The platform that core works with: the ports that `compose` chose, and the settings that core needs.
import type { NodeVersions } from '@svc/contract/project'
import type { AlarmClock } from '../../lib/clock.ts'
import type { DiskSpace, DiskUse } from '../../lib/disk-space.ts'
import type { PictureMark } from '../../lib/picture-mark.ts'
import type { Keyring } from '../../lib/seal.ts'
import type { Secret } from '../../lib/secret.ts'
import type { AppDisks } from '../../ports/app-disks/port.ts'
import type { KeptLogs } from '../../ports/app-logs/port.ts'
import type { Databases } from '../../ports/databases/port.ts'
import type { Dns } from '../../ports/dns/port.ts'
import type { Forge } from '../../ports/forge/port.ts'
import type { GitHosts } from '../../ports/git-hosts/port.ts'
import type { GitRepos } from '../../ports/git-repos/port.ts'
import type { GitHub } from '../../ports/github/port.ts'
import type { HttpProbe } from '../../ports/http-probe/port.ts'
import type { Mailer } from '../../ports/mailer/port.ts'
import type { Packs } from '../../ports/packs/port.ts'
import type { Payments } from '../../ports/payments/port.ts'
import type { CallSite } from '../../ports/site-call/port.ts'
import type { TakePicture } from '../../ports/site-picture/port.ts'
import type { AlpnProbe, TlsProbe } from '../../ports/tls-probe/port.ts'
import type { VatRegistry } from '../../ports/vat-registry/port.ts'
import type { SendWebhook } from '../../ports/webhook/port.ts'
import type { Store } from '../../store/store.ts'
import type { AppCommands, AppStarter, Apps } from './apps.ts'
import type { Catalog, OwnerLimits } from './catalog.ts'
import type { Evictions } from './evictions.ts'
import type { AiUsage, Issuing, LiveEvents, OperatorSettings, Party, TokenUses } from './parts.ts'
import type { RequestCounts } from './request-counts.ts'
import type { FindMissing, Unpack } from './uploads.ts'
import type { Urls } from './urls.ts'

/** A start without the database. Until it is over, the node serves sites from its copies and does nothing else. */
export interface LateStart {
  readonly isOver: boolean
  /** How long the node waits, or has waited, for the database. */
  readonly waitedMs: number
}

export interface Platform {
  readonly store: Store
  readonly packs: Packs
  readonly clock: AlarmClock
  readonly mailer: Mailer
  /** The disks of server apps on this node. */
  readonly appDisks: AppDisks
  /** What server apps of this node wrote. */
  readonly logs: KeptLogs
  readonly forge: Forge
  /** False if repositories come from GitHub alone. */
  readonly hasBuiltinForge: boolean
  /** `undefined` if GitHub is not among the forges. */
  readonly github: GitHub | undefined
  /** GitLab and Gitea, with the tokens of users. */
  readonly gitHosts: GitHosts
  /** The repositories of the built-in forge. */
  readonly repos: GitRepos
  /** What a repository of the built-in forge may hold. */
  readonly repositoryBytes: number
  readonly tlsProbe: TlsProbe
  readonly alpnProbe: AlpnProbe
  /** Requests to sites, as scheduled jobs make them. */
  readonly callSite: CallSite
  /** `undefined` if no browser is set up. */
  readonly takePicture: TakePicture | undefined
  /** Requests to the webhooks that notifications go to. */
  readonly sendWebhook: SendWebhook
  /** Server apps, wherever they run. */
  readonly apps: Apps & AppStarter
  /** Of this process. `here` is `undefined` if it runs no apps. */
  readonly commands: { here: AppCommands | undefined }
  /** PostgreSQL for the projects. `undefined` if this platform has none. */
  readonly databases: Databases | undefined
  /** What a database may use. */
  readonly databaseLimits: { sizeBytes: number; connections: number }
  /** The versions of Node that builds and server apps can get. */
  readonly nodeVersions: NodeVersions
  /** Counts the cache entries that edges of this node dropped. */
  readonly evictions: Evictions
  /** Counts requests for the metrics. */
  readonly requestCounts: RequestCounts
  readonly httpProbe: HttpProbe
  readonly dns: Dns
  /** `undefined` if the platform issues no certificates. */
  readonly issuing: Issuing | undefined
  /** Encrypts secrets in the database. */
  readonly keyring: Keyring
  readonly tokenUses: TokenUses
  /** Streams of what changes in projects. */
  readonly liveEvents: LiveEvents
  /** Counts the usage of the AI gateway. */
  readonly aiUsage: AiUsage
  /** Whether the AI gateway has a provider. */
  readonly hasAi: boolean
  readonly urls: Urls
  /** Unpacks an upload into a pack. Rejects with a Fault and leaves nothing behind if it breaks a rule. */
  readonly unpack: Unpack
  /** Looks for files by their hashes, so that an upload can leave them out. */
  readonly findMissing: FindMissing
  readonly nodeId: string
  /** Set if the database did not answer when this process started. */
  readonly lateStart?: LateStart | undefined
  /** The platform's own domain. */
  readonly domain: string
  /** What customers point their domains at. */
  readonly dnsTarget: string
  /** Whether custom domains may lead to private addresses, as inside a private network. */
  readonly allowPrivateTargets: boolean
  readonly version: string
  readonly signups: 'open' | 'invite' | 'closed'
  /**
   * When customers must prove that a domain is theirs. `claims`: to take a domain from another owner. `always`: also
   * before a domain is served. `off`: never, and nobody can take a domain from another owner.
   */
  readonly domainProof: 'claims' | 'always' | 'off'
  /** The token of the set-up link. It is derived from the instance's key, so that every node knows it. */
  readonly setupToken: Secret
  /** Signs the passes of visitors of protected sites. */
  readonly visitKey: Secret
  readonly pictureMark: PictureMark
  readonly reservedNames: ReadonlySet<string>
  readonly deviceInterval: number
  /** How long an account whose deletion was asked for can be kept. */
  readonly accountGraceMs: number
  /** `off`: no plan limits anything. */
  readonly billing: 'off' | 'sandbox' | 'stripe'
  readonly catalog: Catalog
  /** `undefined` if billing is off. */
  readonly payments: Payments | undefined
  /** Whom invoices name as the seller. */
  readonly seller: Party
  readonly vatRegistry: VatRegistry
  /** What each owner may use where no plan says it. */
  readonly defaultLimits: OwnerLimits
  readonly disk: Disk
  /** `undefined` if SVCD_BACKUP_URL is not set. */
  readonly backups: BackupPlan | undefined
  readonly settings: OperatorSettings
  /** Whether edges record their answers. Without that there are no stats. */
  readonly analytics: boolean
}

/** The backups that run by themselves. */
export interface BackupPlan {
  /** SVCD_BACKUP_URL without its secrets. */
  place: string
  /** Five fields. `undefined` if backups are only made by hand. */
  schedule: string | undefined
  /** The public keys that they are for, or none: they are encrypted with a passphrase. */
  recipients: string[]
}

/** The disk of the data directory. */
interface Disk {
  dir: string
  space(): Promise<DiskSpace>
  /** What uploads leave free. `undefined`: a twentieth, at most 1 GB. */
  reserveBytes: number | undefined
  /** What takes the space, by kind. `undefined` while it is measured for the first time. */
  uses(): Promise<DiskUse[] | undefined>
}

// Slices of the platform. A function takes the slice that it uses, so its type says what it depends on. The slices that
// several functions share have a name. `compose` and the table of all endpoints hold the whole platform.

/** The rows, and the time. */
export type Rows = Pick<Platform, 'store' | 'clock'>
/** Rows with sealed values, and the keys that open them. */
export type Vault = Pick<Platform, 'store' | 'keyring'>
/** What says which plan an owner has, and what the plan allows. */
export type PlanSettings = Pick<Platform, 'billing' | 'defaultLimits' | 'clock' | 'catalog'>
/** The git repositories that projects build from. */
export type Repositories = Pick<Platform, 'github' | 'gitHosts' | 'repos'>
/** What it takes to find out where a domain points. */
export type DnsLookups = Pick<Platform, 'dns' | 'dnsTarget' | 'allowPrivateTargets'>
/** What it takes to find out whether a customer controls a domain. */
export type DomainProofs = Pick<Platform, 'dns' | 'dnsTarget' | 'domainProof'>
/** Who may create an account. */
export type SignUpRules = Pick<Platform, 'setupToken' | 'signups'>

// What one activity needs:

/** To find the account of a token, and to note when the token was used. */
export type TokenParts = Rows & Pick<Platform, 'tokenUses'>
/** To ask GitHub with the sealed tokens of its users. */
export type GitHubParts = Rows & Vault & Pick<Platform, 'github'>
/** To receive and publish a deployment. */
export type DeployParts = Rows &
  PlanSettings &
  Pick<Platform, 'apps' | 'disk' | 'nodeId' | 'nodeVersions' | 'packs' | 'unpack' | 'urls'>
/** To queue the build of a commit. */
export type BuildParts = Rows & Vault & PlanSettings & Repositories
/** To charge an owner and to write the invoice. */
export type BillingParts = Rows & Pick<Platform, 'billing' | 'catalog' | 'payments' | 'seller'>
/** To call a site at the time that a scheduled job names. */
export type CronParts = Rows & Vault & Pick<Platform, 'callSite' | 'version'>
/** To email people about the submissions of a form. */
export type FormMailParts = Rows & PlanSettings & Pick<Platform, 'mailer' | 'signups' | 'urls'>
/** To send notifications to webhooks and by email. */
export type NotificationParts = FormMailParts & Vault & Pick<Platform, 'sendWebhook' | 'version'>
/** To create databases of projects, and to keep them in order. */
export type DatabaseParts = Rows & Vault & Pick<Platform, 'databases' | 'databaseLimits'>
/** To order and renew certificates. */
export type CertificateParts = Rows &
  Vault &
  DnsLookups &
  Pick<Platform, 'alpnProbe' | 'domain' | 'httpProbe'>
