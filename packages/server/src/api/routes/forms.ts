// Forms of a project.
import { Readable } from 'node:stream'
import type { FormMailParts } from '../../core/base/platform.ts'
import {
  changeSubmission,
  exportForm,
  formsOf,
  readAll,
  removeForm,
  removeSubmission,
  submissionsOf,
  updateForm,
} from '../../core/forms/forms.ts'
import { addressToConfirm, confirmAddress } from '../../core/forms/recipients.ts'
import { escapeHtml } from '../../lib/html.ts'
import { type Handlers, RawAnswer } from '../call.ts'
import { ownPage } from '../own-page.ts'

export const formRoutes = (platform: FormMailParts) =>
  ({
    'GET /projects/:name/forms': async ({ project }) => ({ forms: await formsOf(platform, project) }),
    'GET /projects/:name/forms/:form/submissions': async ({ project, params, query }) =>
      await submissionsOf(platform, project, params.form, query),
    'GET /projects/:name/forms/:form/export': async ({ project, params }) => {
      const csv = await exportForm(platform, project, params.form)
      const headers = {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${project.name}-${params.form}.csv"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      }
      return new RawAnswer(200, headers, Readable.from(csv))
    },
    'PATCH /projects/:name/forms/:form': async ({ caller, project, params, body }) => ({
      ...(await updateForm(platform, caller, project, params.form, body)),
      sends_email: platform.mailer.isConfigured,
    }),
    'POST /projects/:name/forms/:form/read': async ({ project, params }) => {
      await readAll(platform, project, params.form)
      return { ok: true }
    },
    'PATCH /projects/:name/forms/:form/submissions/:id': async ({ project, params, body }) =>
      await changeSubmission(platform, project, params.form, params.id, body),
    'DELETE /projects/:name/forms/:form': async ({ caller, project, params }) => {
      await removeForm(platform, caller, project, params.form)
      return { ok: true }
    },
    'DELETE /projects/:name/forms/:form/submissions/:id': async ({ caller, project, params }) => {
      await removeSubmission(platform, caller, project, params.form, params.id)
      return { ok: true }
    },
    // Mail scanners open the links in emails, so GET only shows a button.
    'GET /confirm/:token': async ({ params }) =>
      ownPage(
        'Confirm emails',
        `<h1>Get these emails?</h1><p>They tell of form submissions or of problems of a site, and go to ${escapeHtml(await addressToConfirm(platform, params.token))}.</p><form method="post"><button>Yes, send them</button></form>`,
      ),
    'POST /confirm/:token': async ({ params }) =>
      ownPage(
        'Emails confirmed',
        `<h1>Confirmed</h1><p>The emails go to ${escapeHtml(await confirmAddress(platform, params.token))}. You can close this page.</p>`,
      ),
  }) satisfies Partial<Handlers>
