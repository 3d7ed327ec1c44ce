// Projects, and all that belongs to one.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { id, timestamp } from './basics.ts'

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
  .boolean()
  .optional()
  .describe(
    "True: a server app is running and restarts with the change, without downtime; `app.restart` of the project says whether it comes up. False: the project's server app does not run and uses the change at its next start. Left out where no server app is concerned",
  )

export const envVar = z.object({ key: z.string(), value: z.string(), scope: envScope, updated_at: timestamp })
export const forge = z.enum(['builtin', 'github'])
export const repo = z.object({
  repo: z.string(),
  forge: forge.optional().describe('The git host that it is at'),
  branch: z.string(),
  build_cmd: z.string().nullable(),
  install_cmd: z.string().nullable(),
  output_dir: z.string().nullable(),
  root_dir: z.string().nullable().optional().describe('The folder that is built, in a monorepo'),
  previews: z.boolean(),
  installation_id: z.number().nullable(),
  connected_at: timestamp,
  clone_url: z.string().optional().describe('Of a repository of the built-in forge: what `git push` goes to'),
  build_id: id('bld')
    .nullable()
    .optional()
    .describe('On connecting: the first build, if the branch has commits'),
})

export const buildStatus = z.enum(['queued', 'building', 'succeeded', 'failed', 'cancelled'])
export const build = z.object({
  id: id('bld'),
  status: buildStatus,
  branch: z.string(),
  commit_sha: z.string().nullable(),
  commit_message: z.string().nullable(),
  author: z.string().nullable(),
  deployment_id: id('dep').nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  error: z.string().nullable(),
  position: z.number().int().optional().describe('While it is queued: 1 is the next one'),
})

export const branch = z.object({
  branch: z.string(),
  production: z.boolean(),
  url: z.string().nullable().describe('Null while nothing of it is deployed'),
  deployment_id: id('dep').nullable().describe('What the URL shows'),
  deployed_at: timestamp.nullable(),
  domains: z.array(z.string()).describe('Custom domains that show this branch'),
  build: build.nullable().describe('The last one'),
})

export const deployHook = z.object({
  id: id('hook'),
  name: z.string(),
  branch: z.string().describe('What it builds'),
  created_at: timestamp,
  created_by: z.string().nullable().describe('Login of its creator'),
  last_used_at: timestamp.nullable(),
})

export const createdDeployHook = deployHook.extend({
  url: z.string().describe('POST to it to build. Shown here only'),
})

export const hookedBuild = z.object({
  build_id: id('bld'),
  status: buildStatus,
  branch: z.string(),
  commit_sha: z.string(),
  queued: z.boolean().describe('False where a build of this commit was waiting already'),
})

export const appState = z.object({
  state: z.enum(['running', 'starting', 'stopped', 'crashed']),
  since: timestamp.nullable(),
  error: z.string().nullable().describe('Where it crashed or did not start: why, and its last lines'),
  restart: z
    .object({ state: z.enum(['starting', 'failed']), error: z.string().nullable() })
    .optional()
    .describe(
      'A restart of the running app that is under way, or that failed: then the instance from before keeps running with the former variables, and `error` says why, with the last lines',
    ),
})

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

/** Where the platform asks for proof before it serves a domain (`SVCD_DOMAIN_PROOF=always`). */
const ownership = {
  verified: z.boolean().optional().describe('Whether it is served. Only where proof is always asked for'),
  proof: z
    .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
    .nullish()
    .describe('The record that proves that the domain is yours; null once it is verified'),
}

export const domain = z.object({
  domain: z.string(),
  branch: z.string().nullable(),
  deployment_id: id('dep').nullable(),
  tls_ready: z.boolean(),
  dns_target: z.string(),
  created_at: timestamp,
  ...ownership,
})

export const attachedDomain = z.object({
  domain: z.string(),
  branch: z.string().nullable(),
  build_id: z.string().nullable(),
  tls_ready: z.boolean(),
  dns_target: z.string(),
  ...ownership,
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

export const share = z.object({
  name: z.string(),
  url: z.string(),
  deployment_id: id('dep'),
  created_at: timestamp,
  expires_at: timestamp,
})

/** A share's deployment has no record to look at later, so its warnings come with the answer. */
export const createdShare = share.extend({ warnings: z.array(z.string()) })

export const form = z.object({
  name: z.string(),
  submissions: z.number().int(),
  last_submission_at: timestamp.nullable(),
  notify: z.string(),
  notify_pending: z
    .array(z.string())
    .describe('addresses that get no email before they confirm it by a link'),
  retention_days: z.number().int().nullable(),
  stored_bytes: z.number().int().describe('what its submissions take of the form bytes of the plan'),
})

/** The answer to a change of its settings. */
export const changedForm = form.extend({
  sends_email: z.boolean().describe('False where the platform has no mail server, so that nobody is told'),
})

export const submission = z.object({
  id: id('sub'),
  created_at: timestamp,
  fields: z.record(z.string(), z.unknown()),
  country: z.string().nullable(),
  referrer: z.string().nullable(),
})

export type Project = z.infer<typeof project>
export type AppState = z.infer<typeof appState>
export type ProjectDetail = z.infer<typeof projectDetail>
export type Share = z.infer<typeof share>
export type CreatedShare = z.infer<typeof createdShare>
export type Deployment = z.infer<typeof deployment>
export type DeploymentStatus = Deployment['status']
export type DeploymentKind = Deployment['kind']
export type AccessMode = z.infer<typeof accessMode>
export type EnvScope = z.infer<typeof envScope>
export type EnvVar = z.infer<typeof envVar>
export type Domain = z.infer<typeof domain>
export type Certificate = z.infer<typeof certificate>
export type CertificateDoctor = z.infer<typeof certificateDoctor>
export type Repo = z.infer<typeof repo>
export type Build = z.infer<typeof build>
export type BuildStatus = Build['status']
export type Branch = z.infer<typeof branch>
export type DeployHook = z.infer<typeof deployHook>
export type CreatedDeployHook = z.infer<typeof createdDeployHook>
export type HookedBuild = z.infer<typeof hookedBuild>
export type Form = z.infer<typeof form>
export type Submission = z.infer<typeof submission>
export type Cron = z.infer<typeof cron>
export type CronRun = z.infer<typeof cronRun>
