// Who may see a site.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const accessAnswer = z.object({ ok: z.literal(true), mode: s.accessMode })

export const accessEndpoints = {
  'PUT /projects/:name/access': {
    summary: 'Who may see the site',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['access.change'],
    body: z.object({ mode: s.accessMode, password: s.sitePassword.optional() }),
    answer: accessAnswer,
    errors: ['invalid_request', 'not_found'],
  },
  'PUT /projects/:name/password': {
    summary: 'Protect the site with a password',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['access.change'],
    body: z.object({ password: s.sitePassword }),
    answer: accessAnswer,
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /projects/:name/password': {
    summary: 'Make the site public',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['access.change'],
    answer: accessAnswer,
    errors: ['not_found'],
  },
  'PUT /projects/:name/access/previews': {
    summary:
      'Who may see the previews: visitors who may see the site, or visitors with a password, or members of the org',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['access.previews'],
    body: z.object({ mode: s.previewAccessMode, password: s.sitePassword.optional() }),
    answer: z.object({ ok: z.literal(true), mode: s.previewAccessMode }),
    errors: ['invalid_request', 'not_found'],
    note: 'Previews are all URLs but production: those of branches, permanent URLs, and domains that track a branch. `password` replaces the former password of the previews.',
  },
  'GET /projects/:name/preview-links': {
    summary: 'Share links of protected previews, newest first',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({ links: z.array(s.previewLink) }),
    errors: ['not_found'],
  },
  'POST /projects/:name/preview-links': {
    summary: 'Create a share link: everyone with it sees one protected preview',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['preview_link.create'],
    body: z.object({
      branch: z.string().min(1).max(255).optional().describe('Shares the URL of this branch'),
      deployment_id: z.string().max(60).optional().describe('Shares the permanent URL of this deployment'),
      expires_at: s.timestamp
        .optional()
        .describe(
          `At most ${limits.previewLinkDays.max} days from now. Without it: ${limits.previewLinkDays.default} days`,
        ),
    }),
    status: 201,
    answer: s.createdPreviewLink,
    errors: ['invalid_request', 'not_found'],
    note: 'Name either `branch` or `deployment_id`. The URL is only in this answer: the platform stores a hash of its secret. If you lose the URL, create another link.',
  },
  'DELETE /projects/:name/preview-links/:id': {
    summary: 'Revoke a share link; its visitors are signed out at once',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['preview_link.revoke'],
    answer: s.ok,
    errors: ['not_found'],
  },
  'POST /projects/:name/access/code': {
    summary: "A one-time link that lets you into a site of your org, on one of the project's hosts",
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: [],
    body: z.object({ host: z.string().max(300), to: z.string().max(2048).optional() }),
    answer: z.object({ url: z.string() }),
    errors: ['invalid_request', 'not_found'],
    note: 'The dashboard calls this for visitors of a site with the access mode `org`. The link works once, for 60 seconds.',
  },
} as const satisfies Endpoints
