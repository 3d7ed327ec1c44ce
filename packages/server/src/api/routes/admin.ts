// The operator area. The rows of these endpoints let only platform admins in.
import { Readable } from 'node:stream'

import { cancelPlatformBuild, platformBuilds } from '../../core/admin/builds.ts'
import { certificates } from '../../core/admin/certificates.ts'
import { lastChecks, runChecks } from '../../core/admin/checks.ts'
import { beginGitHubApp, finishGitHubApp } from '../../core/admin/github-app.ts'
import { allInvoices, exportInvoices } from '../../core/admin/invoices.ts'
import { cancelJob, jobs, retryJob } from '../../core/admin/jobs.ts'
import { overview } from '../../core/admin/overview.ts'
import { changeLimits, ownerLimits } from '../../core/admin/owner-limits.ts'
import { changeSettings, platformSettings, restartPlatform, testMail } from '../../core/admin/settings.ts'
import { resume, suspend, suspensions } from '../../core/admin/suspensions.ts'
import { sweepSteps } from '../../core/admin/sweep.ts'
import { changeUserAs } from '../../core/admin/user-changes.ts'
import { deleteUserAs, keepUserAs } from '../../core/admin/user-deletion.ts'
import { users } from '../../core/admin/users.ts'
import { exportAllAudit } from '../../core/base/audit-export.ts'
import type { PlanSettings, Platform, Rows, Vault } from '../../core/base/platform.ts'
import { linkToDocument } from '../../core/billing/invoices/links.ts'
import {
  createAccountInvite,
  listAccountInvites,
  previewAccountInvite,
  revokeAccountInvite,
} from '../../core/identity/account-invites.ts'
import type { ServiceParts } from '../../core/platform/service-checks.ts'
import { platformCharts } from '../../core/stats/charts.ts'
import { type Handlers, jsonLines, RawAnswer } from '../call.ts'

export const adminRoutes = (
  platform: PlanSettings &
    Rows &
    Vault &
    ServiceParts &
    Pick<
      Platform,
      | 'accountGraceMs'
      | 'backups'
      | 'databases'
      | 'disk'
      | 'packs'
      | 'settings'
      | 'signups'
      | 'tokenUses'
      | 'urls'
      | 'version'
    >,
) =>
  ({
    'GET /admin/overview': () => overview(platform),
    'GET /admin/charts': ({ query }) => platformCharts(platform, query.range),
    'GET /admin/users': ({ query }) => users(platform, query),
    'PATCH /admin/users/:login': ({ caller, params, body }) =>
      changeUserAs(platform, caller, params.login, body),
    'DELETE /admin/users/:login': ({ caller, params, body }) =>
      deleteUserAs(platform, caller, params.login, body),
    'POST /admin/users/:login/keep': ({ caller, params }) => keepUserAs(platform, caller, params.login),
    'GET /admin/limits/:owner': ({ params }) => ownerLimits(platform, params.owner),
    'PATCH /admin/limits/:owner': ({ caller, params, body }) =>
      changeLimits(platform, caller, params.owner, body),
    'GET /admin/settings': () => platformSettings(platform),
    'PATCH /admin/settings': ({ caller, body }) => changeSettings(platform, caller, body.changes),
    'POST /admin/settings/restart': async ({ caller }) => {
      await restartPlatform(platform, caller)
      return { ok: true }
    },
    'POST /admin/settings/github': async ({ caller, body }) => beginGitHubApp(platform, caller, body.org),
    'POST /admin/settings/github/finish': ({ caller, body }) => finishGitHubApp(platform, caller, body),
    'POST /admin/settings/test-mail': ({ caller, body }) => testMail(platform, caller, body.changes),
    'GET /admin/suspensions': ({ query }) => suspensions(platform, query),
    'PUT /admin/projects/:name/suspension': async ({ caller, params, body }) => ({
      suspended: await suspend(platform, caller, 'project', params.name, body),
    }),
    'DELETE /admin/projects/:name/suspension': async ({ caller, params }) => {
      await resume(platform, caller, 'project', params.name)
      return { ok: true }
    },
    'PUT /admin/users/:login/suspension': async ({ caller, params, body }) => ({
      suspended: await suspend(platform, caller, 'account', params.login, body),
    }),
    'DELETE /admin/users/:login/suspension': async ({ caller, params }) => {
      await resume(platform, caller, 'account', params.login)
      return { ok: true }
    },
    'GET /admin/audit/export': async ({ query }) =>
      jsonLines(exportAllAudit(platform.store, query.since), 'audit.jsonl'),
    'GET /admin/invites': async () => ({ invites: await listAccountInvites(platform) }),
    'POST /admin/invites': ({ caller, body }) => createAccountInvite(platform, caller, body),
    'DELETE /admin/invites/:id': async ({ caller, params }) => {
      await revokeAccountInvite(platform, caller, params.id)
      return { ok: true }
    },
    'GET /auth/account-invites/:token': ({ params }) => previewAccountInvite(platform, params.token),
    'GET /admin/builds': ({ query }) => platformBuilds(platform, query),
    'POST /admin/builds/:id/cancel': async ({ caller, params }) => {
      await cancelPlatformBuild(platform, caller, params.id)
      return { ok: true }
    },
    'GET /admin/jobs': ({ query }) => jobs(platform, query),
    'POST /admin/jobs/:id/retry': ({ caller, params }) => retryJob(platform, caller, params.id),
    'DELETE /admin/jobs/:id': async ({ caller, params }) => {
      await cancelJob(platform, caller, params.id)
      return { ok: true }
    },
    'GET /admin/invoices': ({ query }) => allInvoices(platform, query),
    'GET /admin/invoices/export': async ({ query }) => {
      const headers = {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="invoices.csv"',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      }
      return new RawAnswer(200, headers, Readable.from(exportInvoices(platform, query)))
    },
    'GET /admin/invoices/:id/pdf': ({ params }) => linkToDocument(platform, 'any', params.id),
    'GET /admin/sweep': async () => ({ steps: await sweepSteps(platform) }),
    'GET /admin/checks': async () => ({ checks: await lastChecks(platform) }),
    'POST /admin/checks': async () => ({ checks: await runChecks(platform) }),
    'GET /admin/certificates': ({ query }) => certificates(platform, query),
  }) satisfies Partial<Handlers>
