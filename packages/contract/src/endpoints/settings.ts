// What is set on a project: domains, access, environment, crons, logs, forms, the repository and its builds.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const sitePassword = z.string().min(limits.sitePassword.min).max(limits.sitePassword.max)
const accessAnswer = z.object({ ok: z.literal(true), mode: s.accessMode })
const unixSeconds = z.string().regex(/^\d{1,12}(\.\d{1,30})?$/, 'must be unix seconds')
const isNotify = (text: string) => text === 'on' || text === 'off' || s.isEmail(text)
const notFound = ['not_found'] as const

export const settingsEndpoints = {
  'POST /projects/:name/domains': {
    summary: 'Attach a custom domain; a re-add retries TLS',
    note: 'A domain that another owner holds moves here if the TXT record that the 409 names is in the DNS.',
    access: 'user',
    body: z.object({ domain: z.string().max(300), branch: z.string().min(1).max(255).nullish() }),
    status: 201,
    answer: s.attachedDomain,
    errors: ['invalid_domain', 'invalid_branch', 'domain_taken', 'quota_exceeded', 'not_found'],
  },
  'PUT /projects/:name/domains/:domain': {
    summary: 'Point a domain at a branch, or at production with null',
    access: 'user',
    body: z.object({ branch: z.string().min(1).max(255).nullable() }),
    answer: s.attachedDomain,
    errors: ['invalid_branch', 'not_found'],
  },
  'DELETE /projects/:name/domains/:domain': {
    summary: 'Detach a domain',
    access: 'user',
    answer: s.ok,
    errors: notFound,
  },
  'GET /projects/:name/domains/:domain/certificate': {
    summary: 'The certificate the domain shows, by a real TLS handshake',
    access: 'user',
    answer: s.certificate,
    errors: notFound,
  },
  'POST /projects/:name/domains/:domain/certificate/refresh': {
    summary: 'Try to issue the certificate now',
    access: 'user',
    answer: z.object({ ok: z.literal(true), domain: z.string(), tls_ready: z.boolean() }),
    errors: notFound,
  },

  'PUT /projects/:name/access': {
    summary: 'Who may see the site',
    access: 'user',
    body: z.object({ mode: s.accessMode, password: sitePassword.optional() }),
    answer: accessAnswer,
    errors: ['invalid_request', 'not_found'],
  },
  'PUT /projects/:name/password': {
    summary: 'Protect the site with a password',
    access: 'user',
    body: z.object({ password: sitePassword }),
    answer: accessAnswer,
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /projects/:name/password': {
    summary: 'Make the site public',
    access: 'user',
    answer: accessAnswer,
    errors: notFound,
  },
  'POST /projects/:name/access/code': {
    summary: "A one-time link that lets you into a site of your org, on one of the project's hosts",
    access: 'user',
    body: z.object({ host: z.string().max(300), to: z.string().max(2048).optional() }),
    answer: z.object({ url: z.string() }),
    errors: ['invalid_request', 'not_found'],
    note: 'The console calls this for visitors of a site with the access mode `org`. The link works once, for 60 seconds.',
  },
  'POST /projects/:name/revalidate': {
    summary: 'Evict pages from the caches',
    access: 'user or deploy',
    body: z.object({ paths: z.array(z.string().max(2048)).min(1).max(limits.revalidatePaths) }),
    answer: z.object({
      ok: z.literal(true),
      evicted: z
        .number()
        .int()
        .describe(
          'Stored answers that the edges of the node that was asked dropped; all other edges are told, too',
        ),
    }),
    errors: ['invalid_request', 'not_found'],
  },

  'GET /projects/:name/env': {
    summary: 'Environment variables, decrypted',
    access: 'user',
    answer: z.object({ env: z.array(s.envVar) }),
    errors: notFound,
  },
  'PUT /projects/:name/env/:key': {
    summary: 'Set an environment variable; without a scope the stored one is kept',
    access: 'user',
    body: z.object({ value: s.envValue, scope: s.envScope.optional() }),
    answer: z.object({ key: z.string(), scope: s.envScope, restarting: s.restarting }),
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /projects/:name/env/:key': {
    summary: 'Remove an environment variable',
    access: 'user',
    answer: s.ok.extend({ restarting: s.restarting }),
    errors: notFound,
  },

  'POST /projects/:name/restart': {
    summary: 'Restart the running server app without downtime',
    access: 'user',
    answer: s.ok.extend({ restarting: z.boolean().describe('False where nothing runs at the moment') }),
    errors: ['not_found', 'not_a_server'],
  },

  'GET /projects/:name/logs': {
    summary: 'Runtime logs of the server app',
    access: 'user',
    query: z.object({
      tail: s.wholeNumber(limits.logsTail),
      since: unixSeconds.describe('Only newer lines; of a stopped app then none').optional(),
      until: unixSeconds.describe('Only older lines, to page back').optional(),
      timestamps: z.literal('1').optional(),
    }),
    answer: s.logs,
    errors: ['not_a_server', 'invalid_request', 'not_found'],
  },

  'GET /projects/:name/crons': {
    summary: 'Scheduled jobs',
    access: 'user',
    answer: z.object({ crons: z.array(s.cron), verification_secret: z.string() }),
    errors: notFound,
  },
  'POST /projects/:name/crons': {
    summary: 'Create a scheduled job (5 fields, UTC)',
    access: 'user',
    body: z.object({
      schedule: z.string().max(100),
      path: z.string().min(1).max(2048),
      method: z.string().max(10).optional(),
    }),
    status: 201,
    answer: s.cron,
    errors: ['invalid_request', 'not_found'],
  },
  'PATCH /projects/:name/crons/:id': {
    summary: 'Enable or disable a scheduled job',
    access: 'user',
    body: z.object({ enabled: z.boolean() }),
    answer: s.cron,
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /projects/:name/crons/:id': {
    summary: 'Delete a scheduled job',
    access: 'user',
    answer: s.ok,
    errors: notFound,
  },
  'GET /projects/:name/crons/:id/runs': {
    summary: 'The last 20 runs of a scheduled job',
    access: 'user',
    answer: z.object({ runs: z.array(s.cronRun) }),
    errors: notFound,
  },

  'POST /projects/:name/crons/:id/run': {
    summary: 'Run a scheduled job now, beside its schedule',
    access: 'user',
    answer: s.cronRun,
    errors: ['run_under_way', 'not_found'],
    note: 'Answers when the site has answered, after 60 seconds at the latest.',
  },

  'GET /projects/:name/stats': {
    summary: 'Live traffic of the last hours',
    access: 'user',
    query: z.object({ hours: s.wholeNumber(limits.statsHours) }),
    answer: s.liveStats,
    errors: ['invalid_request', 'stats_unavailable', 'cdn_error', 'not_found'],
  },
  'GET /projects/:name/stats/history': {
    summary: 'Traffic per day',
    access: 'user',
    query: z.object({
      days: z.string().max(10).optional(),
      from: z.string().max(10).optional(),
      to: z.string().max(10).optional(),
    }),
    answer: s.statsHistory,
    errors: ['invalid_request', 'not_found'],
  },
  'GET /projects/:name/stats/audience': {
    summary: 'Pageviews and visitors per day',
    access: 'user',
    query: z.object({
      days: z.string().max(10).optional(),
      from: z.string().max(10).optional(),
      to: z.string().max(10).optional(),
    }),
    answer: s.statsAudience,
    errors: ['invalid_request', 'not_found'],
  },

  'GET /projects/:name/forms': {
    summary: 'Forms that have received submissions',
    access: 'user',
    answer: z.object({ forms: z.array(s.form) }),
    errors: notFound,
  },
  'GET /projects/:name/forms/:form/submissions': {
    summary: 'Submissions, newest first',
    access: 'user',
    query: z.object(s.page),
    answer: z.object({ submissions: z.array(s.submission), next_cursor: s.nextCursor }),
    errors: notFound,
  },
  'GET /projects/:name/forms/:form/export': {
    summary: 'All submissions as CSV',
    access: 'user',
    answer: 'text/csv',
    errors: notFound,
  },
  'PATCH /projects/:name/forms/:form': {
    summary: 'Notification and retention of a form',
    access: 'user',
    body: z.object({
      notify: z.string().max(limits.email).refine(isNotify, 'must be on, off or an email address').optional(),
      retention_days: z
        .number()
        .int()
        .min(limits.formRetentionDays.min)
        .max(limits.formRetentionDays.max)
        .nullable()
        .optional(),
    }),
    answer: s.changedForm,
    errors: ['invalid_request', 'not_found', 'rate_limit_exceeded'],
    note: "An address that is not the owner's own is asked by email whether it wants this; until it says yes, it is in `notify_pending` and gets nothing.",
  },
  'GET /confirm/:token': {
    summary: 'The page of the link that asks an address whether it wants the emails of forms',
    access: 'none',
    answer: 'text/html',
    errors: notFound,
  },
  'POST /confirm/:token': {
    summary: 'Say yes on that page',
    access: 'none',
    answer: 'text/html',
    errors: notFound,
  },
  'DELETE /projects/:name/forms/:form': {
    summary: 'Delete a form and its submissions',
    access: 'user',
    answer: s.ok,
    errors: notFound,
  },
  'DELETE /projects/:name/forms/:form/submissions/:id': {
    summary: 'Delete one submission',
    access: 'user',
    answer: s.ok,
    errors: notFound,
  },

  'GET /projects/:name/repo': {
    summary: 'The connected repository',
    access: 'user',
    answer: s.repo,
    errors: notFound,
  },
  'POST /projects/:name/repo': {
    summary: 'Connect a repository; pushes build from now on',
    access: 'user',
    body: z.object({
      repo: z.string().max(200),
      forge: s.forge
        .describe('Without it: GitHub if you can use the repository there, else the built-in forge')
        .optional(),
      branch: z.string().min(1).max(255).optional(),
      build_cmd: z.string().max(1000).nullish(),
      install_cmd: z.string().max(1000).nullish(),
      output_dir: z.string().max(300).nullish(),
      root_dir: z.string().max(300).nullish(),
      previews: z.boolean().optional(),
    }),
    answer: s.repo,
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /projects/:name/repo': {
    summary: 'Disconnect the repository',
    access: 'user',
    answer: s.ok,
    errors: notFound,
  },
  'GET /projects/:name/builds': {
    summary: 'Builds, newest first',
    access: 'user',
    query: z.object(s.page),
    answer: z.object({ builds: z.array(s.build), next_cursor: s.nextCursor }),
    errors: notFound,
  },
  'POST /projects/:name/builds': {
    summary: 'Queue a build now',
    access: 'user',
    body: z.object({ branch: z.string().min(1).max(255).optional() }),
    status: 201,
    answer: s.build,
    errors: ['invalid_request', 'not_found', 'not_buildable'],
  },
  'GET /projects/:name/builds/:id': {
    summary: 'One build',
    access: 'user',
    answer: s.build,
    errors: notFound,
  },
  'GET /projects/:name/builds/:id/log': {
    summary: 'The log of a build; `offset` for following it',
    access: 'user',
    query: z.object({ offset: s.wholeNumber({ min: 0, max: 99_999_999, default: 0 }) }),
    answer: 'text/plain',
    errors: notFound,
  },
  'POST /projects/:name/builds/:id/cancel': {
    summary: 'Cancel a queued or running build',
    access: 'user',
    answer: s.ok,
    errors: ['not_found', 'build_finished'],
  },
} as const satisfies Endpoints
