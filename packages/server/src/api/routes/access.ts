// Who may see a site.
import { changeAccess } from '../../core/access/access.ts'
import { admissionUrl } from '../../core/access/codes.ts'
import { changePreviewAccess } from '../../core/access/preview-access.ts'
import { createPreviewLink, previewLinksOf, revokePreviewLink } from '../../core/access/preview-links.ts'
import type { Platform, Rows } from '../../core/base/platform.ts'
import type { Handlers } from '../call.ts'

export const accessRoutes = (platform: Rows & Pick<Platform, 'urls'>) =>
  ({
    'PUT /projects/:name/access': async ({ caller, project, body }) => ({
      ok: true,
      mode: await changeAccess(platform, caller, project, body),
    }),
    'PUT /projects/:name/password': async ({ caller, project, body }) => ({
      ok: true,
      mode: await changeAccess(platform, caller, project, { mode: 'password', password: body.password }),
    }),
    'DELETE /projects/:name/password': async ({ caller, project }) => ({
      ok: true,
      mode: await changeAccess(platform, caller, project, { mode: 'public' }),
    }),
    'PUT /projects/:name/access/previews': async ({ caller, project, body }) => ({
      ok: true,
      mode: await changePreviewAccess(platform, caller, project, body),
    }),
    'GET /projects/:name/preview-links': async ({ project }) => ({
      links: await previewLinksOf(platform, project),
    }),
    'POST /projects/:name/preview-links': async ({ caller, project, body }) =>
      createPreviewLink(platform, caller, project, body),
    'DELETE /projects/:name/preview-links/:id': async ({ caller, project, params }) => {
      await revokePreviewLink(platform, caller, project, params.id)
      return { ok: true }
    },
    'POST /projects/:name/access/code': async ({ caller, project, body }) => ({
      url: await admissionUrl(platform, caller, project, body),
    }),
  }) satisfies Partial<Handlers>
