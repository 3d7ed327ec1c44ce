// What the operator of the platform sees: how the machine is doing, all accounts, all certificates.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'
import { invoice, tax } from './billing.ts'
import { suspension } from './projects.ts'

const bytes = z.number().int()

export const adminOverview = z.object({
  version: z.string(),
  node_version: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  started_at: timestamp,
  accounts: z.number().int(),
  signups: z.enum(['open', 'invite', 'closed']).describe('The setting SVCD_SIGNUPS'),
  disk: z.object({
    dir: z.string().describe('The data directory'),
    free_bytes: bytes,
    total_bytes: bytes,
    reserve_bytes: bytes.describe('Uploads are refused if less than this is free'),
    uses: z
      .array(z.object({ kind: z.string(), bytes }))
      .nullable()
      .describe('At most some minutes old; null while it is measured for the first time'),
  }),
  memory: z.object({
    total_bytes: bytes,
    free_bytes: bytes,
    svcd_bytes: bytes.describe('The main process'),
    apps_bytes: bytes.describe('All server apps, as last measured'),
    apps: z.number().int().describe('Instances of server apps that have not ended'),
  }),
  builds: z.object({
    queued: z.number().int(),
    building: z.number().int(),
    failed_last_day: z.number().int(),
    oldest_queued_at: timestamp.nullable(),
  }),
  jobs: z.array(
    z.object({
      kind: z.string(),
      waiting: z.number().int(),
      running: z.number().int(),
      retrying: z.number().int().describe('Waiting after at least one failure'),
      failed: z.number().int().describe('Given up after too many failures'),
      not_understood: z.number().int().describe('Waiting for a newer version of svcd'),
      late_since: timestamp.nullable().describe('When the oldest job that is due should have run'),
    }),
  ),
  certificates: z.object({
    valid: z.number().int(),
    pending: z.number().int(),
    issuing: z.number().int(),
    failed: z.number().int(),
  }),
  backups: z
    .object({
      place: z.string().describe('SVCD_BACKUP_URL without its secrets'),
      schedule: z.string().nullable().describe('Five fields, in UTC; null if backups are only made by hand'),
      recipients: z
        .array(z.string())
        .describe(
          'The public keys (age) that backups are for; empty if they are encrypted with a passphrase',
        ),
      next_run_at: timestamp.nullable(),
      last_good_at: timestamp.nullable(),
      last_good_id: z.string().nullable().describe('For `svcd restore --at`'),
      bytes: bytes.describe('What the last good backup holds'),
      sent_bytes: bytes.describe('What was sent for it: the rest was there already'),
      kept: z.number().int().describe('Backups that can be restored'),
      damaged: z.number().int().describe('Parts of the last good backup that were damaged before'),
      failures: z.number().int().describe('Backups that failed since the last good one'),
      failing_since: timestamp.nullable(),
      error: z.string().nullable().describe('Why the last backup failed; null if it did not'),
    })
    .nullable()
    .describe('Null if SVCD_BACKUP_URL is not set'),
  database_archive: z
    .object({
      folder: z.string(),
      archived_at: timestamp.nullable().describe('Everything until then is in the archive'),
      copied_at: timestamp.nullable().describe('When the newest copy of all databases ended'),
      waiting_bytes: bytes.describe('Log that waits for the archive'),
      failures: z.number().int().describe('Attempts that failed since the last success'),
      failing_since: timestamp.nullable(),
      error: z.string().nullable().describe('Why the last attempt failed; null if it did not'),
    })
    .nullable()
    .describe('The archive of the databases of projects; null if SVCD_APPS_POSTGRES_ARCHIVE is not set'),
  checks: z
    .array(z.object({ name: z.string(), ok: z.boolean(), message: z.string() }))
    .describe('The checks of `svcd doctor` that a running server can make'),
  rate_limits: z.array(z.object({ name: z.string(), limit: z.string() })),
  plan_limits: z
    .array(z.object({ plan: z.string(), limits: z.array(z.string()) }))
    .describe('What is unlimited is left out'),
})

export const adminUser = z.object({
  id: id('acc'),
  login: z.string(),
  email: z.string().nullable(),
  admin: z.boolean(),
  disabled_at: timestamp.nullable().describe('Null if the account may sign in'),
  delete_at: timestamp.nullable().describe('When the account will be deleted; null if it stays'),
  created_at: timestamp,
  last_used_at: timestamp.nullable().describe('The last use of a token, some minutes behind'),
  projects: z.number().int().describe('Personal projects'),
  totp: z.boolean().describe('Whether an authenticator app is on'),
  passkeys: z.number().int(),
  orgs: z.number().int().describe('Orgs that the account is a member of'),
  stored_bytes: z
    .number()
    .int()
    .describe(
      'Files of the deployments of personal projects. With more than 1,000 projects, this and `projects` may be ten minutes old',
    ),
})

export const adminSuspension = suspension.extend({
  kind: z.enum(['project', 'account']),
  name: z.string().describe('The name of the project, or the login of the account'),
})

/** A build that waits, runs, or failed in the last 24 hours. */
export const adminBuild = z.object({
  id: id('bld'),
  project: z.string(),
  branch: z.string(),
  status: z.enum(['queued', 'building', 'failed']),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  node: z.string().nullable().describe('The machine that builds it'),
  error: z.string().nullable(),
})

export const adminJob = z.object({
  id: id('job'),
  kind: z.string().describe('Such as `compress` or `form-mail`'),
  key: z.string().describe('What it is about, such as the id of a deployment'),
  state: z
    .enum(['waiting', 'running', 'retrying', 'failed', 'not_understood'])
    .describe(
      '`retrying`: waits after a failure. `failed`: given up, and kept for 7 days. `not_understood`: waits for a newer version of svcd, which knows the kind or the payload',
    ),
  attempts: z.number().int(),
  created_at: timestamp,
  due_at: timestamp.nullable().describe('When it runs next, or should have run; null if it failed'),
  error: z.string().nullable().describe('What went wrong the last time, without passwords and keys'),
  can_cancel: z.boolean(),
})

export const adminSweepStep = z.object({
  name: z.string().describe('What the step deletes or queues, such as `request log`'),
  ran_at: timestamp,
  took_ms: z.number().int(),
  succeeded_at: timestamp.nullable().describe('The last run without an error; null if there was none'),
  error: z.string().nullable().describe('Why the last run failed, without passwords and keys'),
})

export const adminInvoice = invoice.extend({
  owner_id: z.string().describe('The id of the account or org'),
  owner: z.string().nullable().describe('Its login or name; null if it was deleted'),
  buyer: z
    .object({ name: z.string(), country: z.string().nullable(), vat_number: z.string().nullable() })
    .describe('As they stand on the document'),
  tax,
  mailed_to: z.string().nullable(),
  is_sandbox: z.boolean().describe('True if no real money was moved'),
})

export const adminCheck = z.object({
  name: z.string(),
  ok: z.boolean(),
  message: z.string(),
  advice: z.string().nullable().describe('What to do; null if all is well'),
  checked_at: timestamp,
})

export const accountInvite = z.object({
  id: id('inv'),
  email: z.string().nullable(),
  sender: z.string(),
  created_at: timestamp,
  expires_at: timestamp,
})

export const createdAccountInvite = accountInvite.extend({
  invite_url: z.string().describe('Shown once. Works once'),
  email_sent: z.boolean(),
})

export const adminCertificate = z.object({
  name: z.string().describe("A custom domain, or the platform's own wildcard"),
  project: z.string().nullable().describe("Null for the platform's own"),
  state: z
    .enum(['none', 'unproved', 'pending', 'issuing', 'valid', 'failed'])
    .describe('`none`: no certificate was asked for. `unproved`: the domain waits for its proof'),
  expires_at: timestamp.nullable(),
  next_at: timestamp.nullable().describe('When the platform tries or renews next'),
  waiting_for: z.string().nullable(),
  error: z.string().nullable().describe('What went wrong the last time'),
})

export type AdminOverview = z.infer<typeof adminOverview>
export type AdminUser = z.infer<typeof adminUser>
export type AdminSuspension = z.infer<typeof adminSuspension>
export type AdminBuild = z.infer<typeof adminBuild>
export type AdminJob = z.infer<typeof adminJob>
export type AdminSweepStep = z.infer<typeof adminSweepStep>
export type AdminInvoice = z.infer<typeof adminInvoice>
export type AdminCheck = z.infer<typeof adminCheck>
export type AccountInvite = z.infer<typeof accountInvite>
export type AdminCertificate = z.infer<typeof adminCertificate>

const platformSetting = z.object({
  name: z.string().describe('The name of the variable, such as `SVCD_SIGNUPS`'),
  meaning: z.string().describe('Markdown'),
  accepts: z.string().describe('Markdown'),
  options: z.array(z.string()).nullable().describe('All values, if there are only a few'),
  is_secret: z.boolean(),
  is_long: z.boolean().describe('Whether the value may have several lines'),
  source: z
    .enum(['environment', 'file', 'dashboard', 'default'])
    .describe('Where the value comes from. The first two win, and are changed on the server'),
  is_set: z.boolean(),
  value: z.string().nullable().describe('Null for secrets, and if there is none'),
  default: z.string().describe('Markdown'),
  takes_effect: z.enum(['at once', 'restart']),
  pending: z.boolean().describe('Whether the process that answers still has another value'),
})

export const settingsSection = z.object({ title: z.string(), settings: z.array(platformSetting) })

export const platformSettings = z.object({
  sections: z.array(settingsSection),
  unreadable: z.array(z.string()).describe('Settings whose key was lost. They have to be set again'),
  restart: z.object({
    needed: z.boolean(),
    possible: z.boolean().describe('False in a container or a terminal, which end with their process'),
  }),
})

/** What is sent to change settings: `null` takes a setting back. */
export const settingChanges = z.object({
  changes: z
    .record(z.string().max(60), z.string().max(20_000).nullable())
    .refine(changes => Object.keys(changes).length <= 100, 'at most 100 settings at a time')
    .describe('Values by the names of the variables; null takes a setting back'),
})

export type PlatformSetting = z.infer<typeof platformSetting>
export type SettingsSection = z.infer<typeof settingsSection>
export type PlatformSettings = z.infer<typeof platformSettings>
