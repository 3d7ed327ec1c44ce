// The schema as types. Text ids, integer milliseconds, integers 0 and 1, JSON as text: the same on both engines.
import type { DeploymentKind, DeploymentStatus, EnvScope, Role, TokenKind } from '@svc/contract'
import type { Generated } from 'kysely'

export interface Tables {
  accounts: AccountRow
  tokens: TokenRow
  device_logins: DeviceLoginRow
  orgs: OrgRow
  members: MemberRow
  projects: ProjectRow
  deployments: DeploymentRow
  changes: ChangeRow
  jobs: JobRow
  rate_limits: RateLimitRow
  counters: CounterRow
  org_icons: OrgIconRow
  invites: InviteRow
  shared_installations: SharedInstallationRow
  subscriptions: SubscriptionRow
  env_vars: EnvVarRow
  access_codes: AccessCodeRow
  audit: AuditRow
  domains: DomainRow
  certificates: CertificateRow
  tls_keys: TlsKeyRow
  certificate_orders: CertificateOrderRow
  discarded_packs: DiscardedPackRow
  platform: PlatformRow
  forms: FormRow
  submissions: SubmissionRow
  stats_hours: StatsHourRow
  stats_names: StatsNameRow
  stats_visitors: StatsVisitorRow
  stats_salts: StatsSaltRow
  app_instances: AppInstanceRow
  app_generations: AppGenerationRow
  crons: CronRow
  cron_runs: CronRunRow
  cron_secrets: CronSecretRow
}

export interface AccountRow {
  id: string
  /** Number of the account at the git host. */
  forge_id: number
  login: string
  email: string | null
  password_hash: string | null
  is_admin: number
  created_at: number
}

export interface TokenRow {
  id: string
  /** SHA-256 of the secret, hex. */
  hash: string
  kind: TokenKind
  label: string
  /** Owner, or creator where an org owns the token. */
  account_id: string
  org_id: string | null
  created_at: number
  revoked_at: number | null
}

export interface DeviceLoginRow {
  /** SHA-256 of the device code, hex. */
  code_hash: string
  user_code: string
  status: 'waiting' | 'approved' | 'denied' | 'used'
  account_id: string | null
  ip: string
  user_agent: string
  created_at: number
  expires_at: number
  polled_at: number | null
}

export interface OrgRow {
  id: string
  name: string
  display_name: string | null
  created_at: number
}

export interface MemberRow {
  org_id: string
  account_id: string
  role: Role
  joined_at: number
}

export interface ProjectRow {
  id: string
  name: string
  /** Exactly one of account_id (personal) and org_id is set. */
  account_id: string | null
  org_id: string | null
  active_deployment_id: string | null
  expires_at: number | null
  created_at: number
  access_mode: 'public' | 'password' | 'org'
  /** Of the site's password, in the mode `password`. */
  password_hash: string | null
  /** Moves with every change of the access; visitors' cookies of other generations are void. */
  access_generation: number
}

export interface DeploymentRow {
  id: string
  project_id: string
  status: DeploymentStatus
  kind: DeploymentKind
  created_at: number
  file_count: number | null
  size_bytes: number | null
  git_sha: string | null
  git_branch: string | null
  /** The branch's part of its address, see core/addresses. */
  branch_slug: string | null
  cli_version: string | null
  created_by: string | null
  /** JSON array of strings. */
  warnings: string
  error: string | null
  /** The node that receives the upload, so that it can clean up after itself. */
  node_id: string
  /** Of servers, see core/apps/frameworks. */
  framework: string | null
  /** Of servers: the argv as JSON. */
  start_command: string | null
}

export interface ChangeRow {
  seq: Generated<number>
  topic: string
  key: string
  at: number
}

export interface JobRow {
  id: string
  kind: string
  /** At most one waiting job per kind and key. */
  key: string
  run_at: number
  attempts: number
  /** Claimed until this time by a worker; null while waiting. */
  claimed_until: number | null
  created_at: number
}

export interface RateLimitRow {
  key: string
  window_start: number
  count: number
}

export interface CounterRow {
  name: string
  value: number
}

export interface OrgIconRow {
  org_id: string
  type: string
  /** Of the content; the `v` in its address. */
  hash: string
  base64: string
}

export interface InviteRow {
  id: string
  org_id: string
  email: string
  role: 'member' | 'admin'
  /** SHA-256 of the secret in the link, hex. */
  token_hash: string
  sender_id: string
  status: 'pending' | 'accepted' | 'revoked'
  created_at: number
  expires_at: number
}

/** An installation at the git host that its owner lets an org use; one org at a time. */
export interface SharedInstallationRow {
  installation_id: number
  org_id: string
  shared_by: string
  created_at: number
}

/** A paid plan of an account or an org. */
export interface SubscriptionRow {
  owner_id: string
  plan: string
  period_end: number
  cancel_at_period_end: number
}

export interface EnvVarRow {
  project_id: string
  key: string
  /** AES-256-GCM, see lib/seal. */
  sealed: string
  /** Which key sealed it. */
  key_id: string
  scope: EnvScope
  updated_at: number
}

/** One-time codes that bring a signed-in member from the dashboard to a site of their org. */
export interface AccessCodeRow {
  code_hash: string
  project_id: string
  account_id: string
  host: string
  expires_at: number
}

export interface AuditRow {
  id: string
  org_id: string | null
  project_id: string | null
  /** The login, kept as it was. */
  actor: string
  action: string
  target: string | null
  ip: string
  /** JSON object. */
  details: string
  created_at: number
}

export interface DomainRow {
  domain: string
  project_id: string
  /** The branch it tracks; null for production. */
  branch: string | null
  /** The branch's deployment that it shows; null while there is none, and for production. */
  deployment_id: string | null
  created_at: number
}

/** A deployment without a record, whose packs are still to be deleted. */
export interface DiscardedPackRow {
  deployment_id: string
  discarded_at: number
}

/** The platform's own name among others, in its one row. */
export interface PlatformRow {
  only_row: 1
  id: string
}

export interface FormRow {
  project_id: string
  name: string
  /** `on` (the owners), `off`, or an address. */
  notify: string
  /** Null: submissions are kept. */
  retention_days: number | null
  created_at: number
}

export interface SubmissionRow {
  id: string
  project_id: string
  form: string
  /** JSON object. */
  fields: string
  country: string | null
  referrer: string | null
  /** 1 until the email that tells of it was taken by the mail server. */
  mail_due: number
  created_at: number
}

/** What a project's hosts answered in one hour. */
export interface StatsHourRow {
  project_id: string
  hour: number
  requests: number
  bytes: number
  cache_hits: number
  status_2xx: number
  status_3xx: number
  status_4xx: number
  status_5xx: number
  status_other: number
  pageviews: number
  /** Of the day, who came first in this hour. */
  visitors: number
  /** Requests that could not be counted, for there were too many at once. */
  lost: number
}

/** What is listed by name: requests by the hour, pageviews (as `requests`) by the day. */
export interface StatsNameRow {
  project_id: string
  kind: 'cache' | 'country' | 'host' | 'path' | 'view country' | 'view page' | 'view referrer'
  /** The start of the hour or the day. */
  since: number
  name: string
  requests: number
  bytes: number
}

/** Seen that day already; deleted, like the salt of their hashes, when it is over. */
export interface StatsVisitorRow {
  project_id: string
  day: number
  hash: string
}

export interface StatsSaltRow {
  day: number
  salt: string
}

/** One run of a server app, from the wish for it to its end. */
export interface AppInstanceRow {
  id: string
  project_id: string
  deployment_id: string
  state: 'wanted' | 'starting' | 'ready' | 'draining' | 'ended'
  /** How it ended. */
  outcome: 'stopped' | 'failed' | 'crashed' | 'lost' | null
  /** Of one that failed or crashed: what happened, and its last lines. */
  error: string | null
  /** The node that runs it; null while none has taken it. */
  node_id: string | null
  host: string | null
  port: number | null
  /** The project's generation when it started. */
  generation: number
  /** How many before it ended badly, in a row. */
  crashes: number
  /** It may not be started earlier. */
  not_before: number
  created_at: number
  /** When a request was last known to be under way; edges note it now and then. */
  used_at: number
  ready_at: number | null
  draining_at: number | null
  ended_at: number | null
}

/** Moves when the running apps of a project must start anew; 0 where there is no row. */
export interface AppGenerationRow {
  project_id: string
  generation: number
}

export interface CronRow {
  id: string
  project_id: string
  schedule: string
  path: string
  method: string
  enabled: number
  created_at: number
  /** The start of the minute in which it is due; null while it is disabled, or where it never is. */
  next_run_at: number | null
  /** The run under way, and until when it is believed to be. */
  running: string | null
  running_until: number | null
}

export interface CronRunRow {
  id: string
  cron_id: string
  started_at: number
  duration_ms: number
  /** Null where there was no answer. */
  status: number | null
  error: string | null
}

export interface CronSecretRow {
  project_id: string
  /** AES-256-GCM, see lib/seal. */
  sealed: string
  key_id: string
}

/**
 * `pending`: waits for its DNS or its turn. `issuing`: someone is at it, until `claimed_until`. `valid`: stored, until
 * it is to be renewed. `failed`: the last try went wrong. Whatever the state, a chain once stored is shown.
 */
export type CertificateState = 'pending' | 'issuing' | 'valid' | 'failed'

export interface CertificateRow {
  /** The domain, or `*.<platform's domain>`. */
  name: string
  /** Null for the platform's own. */
  domain: string | null
  state: CertificateState
  /** When it is looked at again. */
  next_at: number
  /** Whoever is at it knows this; nobody else writes. */
  claim: string | null
  claimed_until: number | null
  /** In a row. */
  failures: number
  /** Why it is not issued yet, in words. */
  waiting_for: string | null
  /** What went wrong the last time, in words. */
  error: string | null
  /** The order under way at the authority. */
  order_url: string | null
  /** What is to be answered below /.well-known/acme-challenge/ while a challenge is pending. */
  challenge_token: string | null
  challenge_answer: string | null
  /** PEM, the leaf first. */
  chain: string | null
  issued_at: number | null
  expires_at: number | null
  created_at: number
}

/** Private keys of certificates, of orders under way, and of the account at the authority. */
export interface TlsKeyRow {
  id: string
  domain: string | null
  sealed: string
  key_id: string
}

export interface CertificateOrderRow {
  id: string
  name: string
  /** The registered domain, which the authority counts by. */
  registered: string
  ordered_at: number
}
