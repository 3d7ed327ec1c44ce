// The resources of the API as schemas; types are derived from them.
export * from './shapes/basics.ts'
export * from './shapes/billing.ts'
export * from './shapes/people.ts'
export * from './shapes/projects.ts'
export * from './shapes/traffic.ts'

import { z } from 'zod'
import { limits } from './limits.ts'

export const timestamp = z.iso.datetime().describe('ISO 8601 UTC with milliseconds')
export const ok = z.object({ ok: z.literal(true) })
const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[a-z0-9]{16}$`))

/** A whole number in a query string. */
export const wholeNumber = (range: { min: number; max: number; default: number }) =>
  z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number')
    .transform(Number)
    .refine(n => n >= range.min && n <= range.max, `must be between ${range.min} and ${range.max}`)
    .default(range.default)

export const page = {
  limit: wholeNumber(limits.page).describe(`Rows per page, ${limits.page.min}–${limits.page.max}`),
  cursor: z.string().max(200).optional().describe('The `next_cursor` of the page before'),
}
export const nextCursor = z
  .string()
  .nullable()
  .describe('Pass as `cursor` for the next page; null on the last')

export const account = z.object({
  id: id('acc'),
  gitforge_id: z.union([z.number(), z.string()]),
  gitforge_login: z.string(),
  email: z.string().nullable(),
  token_kind: z.enum(['cli', 'ai', 'deploy']),
  org: z.string().nullable(),
  created_at: timestamp,
})

export const token = z.object({
  id: id('tok'),
  kind: z.enum(['cli', 'ai', 'deploy']),
  label: z.string(),
  created_at: timestamp,
  revoked_at: timestamp.nullable(),
})
export const createdToken = token.extend({
  token: z.string().describe('The secret, shown in this answer only'),
})
export const orgToken = token.extend({ created_by: z.string().nullable() })

export const project = z.object({
  id: id('prj'),
  name: z.string(),
  org: z.string().nullable(),
  url: z.string(),
  active_deployment_id: id('dep').nullable(),
  expires_at: timestamp.nullable(),
  created_at: timestamp,
})

export const deployment = z.object({
  id: id('dep'),
  status: z.enum(['uploading', 'live', 'superseded', 'failed', 'branch']),
  kind: z.enum(['static', 'server']),
  framework: z
    .string()
    .nullable()
    .describe('Of a server: what it was made with, such as `Next.js standalone`'),
  start_command: z.string().nullable().describe('Of a server: how it is started'),
  created_at: timestamp,
  file_count: z.number().int().nullable(),
  size_bytes: z.number().int().nullable().describe('The extracted total'),
  git_sha: z.string().nullable(),
  git_branch: z.string().nullable(),
  cli_version: z.string().nullable(),
  created_by: z.string().nullable().describe('Login of the uploader'),
  url: z.string().describe('The permanent URL of this deployment'),
  warnings: z.array(z.string()),
  error: z.string().nullable(),
})

export const domain = z.object({
  domain: z.string(),
  branch: z.string().nullable(),
  deployment_id: id('dep').nullable(),
  tls_ready: z.boolean(),
  dns_target: z.string(),
  created_at: timestamp,
})
export const attachedDomain = z.object({
  domain: z.string(),
  branch: z.string().nullable(),
  build_id: z.string().nullable(),
  tls_ready: z.boolean(),
  dns_target: z.string(),
})

/** Beyond the status itself: what stands between a domain and its certificate. */
export const certificateDoctor = z.object({
  dns: z.object({
    points_here: z.boolean().describe('By its records alone.'),
    create: z
      .array(z.object({ type: z.enum(['CNAME', 'ALIAS', 'A', 'AAAA']), name: z.string(), value: z.string() }))
      .describe('The record to create, the best first; any one kind of them will do.'),
    found: z
      .object({ cname: z.array(z.string()), a: z.array(z.string()), aaaa: z.array(z.string()) })
      .describe('What the DNS says now.'),
  }),
  issuance: z.object({
    state: z
      .enum(['off', 'pending', 'issuing', 'valid', 'failed'])
      .describe('`off` where the platform issues no certificates.'),
    waiting_for: z.string().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: timestamp
      .nullable()
      .describe('When it is looked at again; of a valid one, its renewal.'),
    expires_at: timestamp.nullable().describe('Of the certificate that is stored.'),
  }),
})

export const certificate = z.object({
  domain: z.string(),
  reachable: z.boolean(),
  valid: z.boolean(),
  issuer: z.string().nullable(),
  subject: z.string().nullable(),
  valid_from: timestamp.nullable(),
  valid_to: timestamp.nullable(),
  days_remaining: z.number().int().nullable(),
  error: z.string().nullable(),
  ...certificateDoctor.shape,
})

export const accessMode = z.enum(['public', 'password', 'org'])
export const envScope = z.enum(['runtime', 'build', 'both'])
/** What the environment of a process can hold: text without NUL, and text that UTF-8 can write. */
export const envValue = z
  .string()
  .max(limits.envValueBytes, 'must have at most 64 KB')
  .refine(value => new TextEncoder().encode(value).length <= limits.envValueBytes, 'must have at most 64 KB')
  .refine(value => !value.includes('\0'), 'must not contain a NUL character')
  .refine(value => !/\p{Surrogate}/u.test(value), 'must be valid Unicode')
export const restarting = z
  .literal(true)
  .optional()
  .describe('A server app is running and starts anew with the change, without downtime')
export const envVar = z.object({ key: z.string(), value: z.string(), scope: envScope, updated_at: timestamp })

export const repo = z.object({
  repo: z.string(),
  branch: z.string(),
  build_cmd: z.string().nullable(),
  install_cmd: z.string().nullable(),
  output_dir: z.string().nullable(),
  previews: z.boolean(),
  installation_id: z.number().nullable(),
  connected_at: timestamp,
})

export const build = z.object({
  id: id('bld'),
  status: z.enum(['queued', 'building', 'succeeded', 'failed', 'cancelled']),
  branch: z.string(),
  commit_sha: z.string().nullable(),
  commit_message: z.string().nullable(),
  author: z.string().nullable(),
  deployment_id: id('dep').nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  error: z.string().nullable(),
})

export const appState = z.object({
  state: z.enum(['running', 'starting', 'stopped', 'crashed']),
  since: timestamp.nullable(),
  error: z.string().nullable().describe('Where it crashed or did not start: why, and its last lines'),
})

export const projectDetail = project.extend({
  kind: z.enum(['static', 'server']),
  app: appState.nullable().describe('What the server app of the live deployment does now'),
  access: z.object({ mode: accessMode }),
  repo: repo.nullable(),
  deployments: z.array(deployment),
  domains: z.array(domain),
})

export const uploaded = z.object({
  deployment_id: id('dep'),
  url: z.string(),
  expires_at: timestamp.nullable(),
  warnings: z.array(z.string()),
  kind: z.literal('server').optional().describe('Where the deployment is a server'),
  framework: z.string().optional().describe('What the server was made with'),
})

export const logs = z.object({
  state: z.enum(['running', 'stopped', 'unreachable']),
  logs: z.string(),
  stopped_at: timestamp.nullable(),
})

export const cron = z.object({
  id: id('cron'),
  schedule: z.string(),
  path: z.string(),
  method: z.string(),
  enabled: z.boolean(),
  created_at: timestamp,
  last_run_at: timestamp.nullable(),
  last_status: z.number().int().nullable(),
  next_run_at: timestamp.nullable(),
})
export const cronRun = z.object({
  started_at: timestamp,
  duration_ms: z.number().int(),
  status: z.number().int().nullable(),
  error: z.string().nullable(),
})

const traffic = { requests: z.number().int(), bytes: z.number().int(), cache_hits: z.number().int() }
export const liveStats = z.object({
  project: z.string(),
  from: timestamp,
  to: timestamp,
  totals: z.object(traffic),
  status: z.object({
    '2xx': z.number().int(),
    '3xx': z.number().int(),
    '4xx': z.number().int(),
    '5xx': z.number().int(),
    other: z.number().int(),
  }),
  cache: z.record(z.string(), z.number().int()),
  hostnames: z.array(z.object({ hostname: z.string(), requests: z.number().int(), bytes: z.number().int() })),
  timeline: z.array(z.object({ hour: timestamp, ...traffic })),
  top_paths: z.array(z.object({ path: z.string(), requests: z.number().int(), bytes: z.number().int() })),
  top_countries: z.array(z.object({ country: z.string(), requests: z.number().int() })),
  truncated: z.boolean(),
})
const day = z.iso.date().describe('YYYY-MM-DD')
export const statsHistory = z.object({
  project: z.string(),
  from: day,
  to: day,
  days: z.number().int(),
  totals: z.object(traffic),
  timeline: z.array(z.object({ day, ...traffic })),
})
const views = z.number().int()
export const statsAudience = z.object({
  project: z.string(),
  from: day,
  to: day,
  days: z.number().int(),
  totals: z.object({ pageviews: views }),
  timeline: z.array(z.object({ day, pageviews: views, visitors: z.number().int() })),
  top_pages: z.array(z.object({ path: z.string(), views })),
  top_referrers: z.array(z.object({ referrer: z.string(), views })),
  top_countries: z.array(z.object({ country: z.string(), views })),
})

export const role = z.enum(['member', 'admin', 'owner'])
export const org = z.object({
  id: id('org'),
  name: z.string(),
  display_name: z.string().nullable(),
  icon_url: z.string().nullable(),
  role,
  created_at: timestamp,
})
export const member = z.object({ login: z.string(), role, joined_at: timestamp })
export const orgDetail = org.extend({ members: z.array(member), project_count: z.number().int() })
export const invite = z.object({
  id: id('inv'),
  org: z.string(),
  email: z.string(),
  role,
  sender: z.string(),
  created_at: timestamp,
  expires_at: timestamp,
})
export const createdInvite = invite.extend({ invite_url: z.string(), email_sent: z.boolean() })
export const installation = z.object({
  id: z.number().int(),
  account: z.string(),
  mine: z.boolean(),
  org: z.string().nullable(),
  shared_by: z.string().nullable(),
})

export const share = z.object({
  name: z.string(),
  url: z.string(),
  deployment_id: id('dep'),
  created_at: timestamp,
  expires_at: timestamp,
})
/** A share's deployment has no record to look at later, so its warnings come with the answer. */
export const createdShare = share.extend({ warnings: z.array(z.string()) })

const tokenCounts = {
  requests: z.number().int(),
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
}
export const aiUsage = z.object({
  usage: z.array(z.object({ model: z.string(), ...tokenCounts })),
  totals: z.object(tokenCounts),
})

export const form = z.object({
  name: z.string(),
  submissions: z.number().int(),
  last_submission_at: timestamp.nullable(),
  notify: z.string(),
  retention_days: z.number().int().nullable(),
})
export const submission = z.object({
  id: id('sub'),
  created_at: timestamp,
  fields: z.record(z.string(), z.unknown()),
  country: z.string().nullable(),
  referrer: z.string().nullable(),
})

const cents = z.number().int().describe('EUR cents')
export const plan = z.object({
  id: z.string(),
  name: z.string(),
  price_cents: cents,
  projects: z.number().int().nullable(),
  domains: z.number().int().nullable(),
  ready_apps: z.number().int().nullable(),
  bandwidth_bytes: z.number().int().nullable(),
  ai_credit_cents: cents.nullable(),
  orgs: z.number().int().nullable(),
})
export const invoice = z.object({
  id: id('ivc'),
  number: z.string(),
  created_at: timestamp,
  total_cents: cents,
  vat_cents: cents,
  has_document: z.boolean(),
})
export const billingProfile = z.object({
  name: z.string().nullable(),
  country: z.string().nullable(),
  vat_number: z.string().nullable(),
  email: z.string().nullable(),
})
export const billing = z.object({
  plan,
  usage: z.record(z.string(), z.number()),
  catalog: z.array(plan),
  subscription: z
    .object({ plan: z.string(), renews_at: timestamp.nullable(), cancel_at_period_end: z.boolean() })
    .nullable(),
  profile: billingProfile,
  invoices: z.array(invoice),
})

/** Everything that is logged; the dashboard has words for each. */
export const auditAction = z.enum([
  'project.create',
  'project.delete',
  'project.transfer',
  'deployment.upload',
  'deployment.activate',
  'deployment.delete',
  'env.set',
  'env.delete',
  'access.change',
  'app.restart',
  'domain.attach',
  'domain.retarget',
  'domain.detach',
  'cron.create',
  'cron.enable',
  'cron.disable',
  'cron.delete',
  'form.update',
  'form.delete',
  'submission.delete',
  'org.create',
  'org.update',
  'org.icon',
  'member.join',
  'member.role',
  'member.remove',
  'invite.create',
  'invite.revoke',
  'token.create',
  'token.revoke',
  'installation.share',
  'installation.unshare',
])
export const auditEntry = z.object({
  at: timestamp,
  actor: z.string().nullable(),
  action: auditAction,
  target: z.string().nullable(),
  project: z.string().nullable().describe('The project it happened in, while there is one'),
  ip: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})

export type Account = z.infer<typeof account>
export type Token = z.infer<typeof token>
export type OrgToken = z.infer<typeof orgToken>
export type Project = z.infer<typeof project>
export type AppState = z.infer<typeof appState>
export type ProjectDetail = z.infer<typeof projectDetail>
export type Share = z.infer<typeof share>
export type CreatedShare = z.infer<typeof createdShare>
export type Deployment = z.infer<typeof deployment>
export type DeploymentStatus = Deployment['status']
export type DeploymentKind = Deployment['kind']
export type AccessMode = z.infer<typeof accessMode>
export type TokenKind = Token['kind']
export type EnvScope = z.infer<typeof envScope>
export type EnvVar = z.infer<typeof envVar>
export type Role = z.infer<typeof role>
export type Org = z.infer<typeof org>
export type OrgDetail = z.infer<typeof orgDetail>
export type Member = z.infer<typeof member>
export type Invite = z.infer<typeof invite>
export type Domain = z.infer<typeof domain>
export type Certificate = z.infer<typeof certificate>
export type CertificateDoctor = z.infer<typeof certificateDoctor>
export type Installation = z.infer<typeof installation>
export type Cron = z.infer<typeof cron>
export type CronRun = z.infer<typeof cronRun>
export type Form = z.infer<typeof form>
export type Submission = z.infer<typeof submission>
export type AuditAction = z.infer<typeof auditAction>
export type AuditEntry = z.infer<typeof auditEntry>
