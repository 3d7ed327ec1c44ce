// Projects and their deployments.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const gzip = ['application/gzip', 'application/x-gzip'] as const

export const projectEndpoints = {
  'GET /projects': {
    summary: "Personal projects, newest first; with `org`, that org's",
    access: 'user or deploy',
    query: z.object({ org: z.string().max(100).optional(), ...s.page }),
    answer: z.object({ projects: z.array(s.project), next_cursor: s.nextCursor }),
    errors: ['not_found'],
  },
  'POST /projects': {
    summary: 'Create a project',
    access: 'user',
    body: z.object({ name: z.string(), org: z.string().nullish() }),
    status: 201,
    answer: s.project,
    errors: ['invalid_name', 'reserved_name', 'name_taken', 'quota_exceeded', 'not_found'],
  },
  'GET /projects/:name': {
    summary: 'A project with its 20 most recent deployments and its domains',
    access: 'user or deploy',
    answer: s.projectDetail,
    errors: ['not_found'],
  },
  'DELETE /projects/:name': {
    summary: 'Delete a project and everything of it',
    access: 'user',
    answer: s.ok,
    errors: ['not_found', 'forbidden'],
  },
  'POST /projects/:name/transfer': {
    summary: 'Move a project into an org, or back to personal',
    access: 'user',
    body: z.object({ org: z.string().nullable() }),
    answer: s.project,
    errors: ['not_found', 'forbidden', 'access_mode_conflict', 'owner_changed', 'quota_exceeded'],
  },
  'GET /projects/:name/audit': {
    summary: 'Who changed what in the project',
    access: 'user',
    query: z.object(s.page),
    answer: z.object({ entries: z.array(s.auditEntry), next_cursor: s.nextCursor }),
    errors: ['not_found'],
  },

  'POST /projects/:name/deployments': {
    summary: 'Upload a built site as a gzipped tarball; it is live when this answers',
    access: 'user or deploy',
    query: z.object({ branch: z.string().min(1).max(255).optional() }),
    rawBody: gzip,
    status: 201,
    answer: s.uploaded,
    errors: [
      'invalid_archive',
      'invalid_request',
      'payload_too_large',
      'unsupported_media_type',
      'deployment_failed',
      'not_found',
    ],
    note: 'Optional headers: `X-Svc-Cli-Version`, `X-Svc-Git-Sha`.',
  },
  'POST /projects/:name/deployments/:id/activate': {
    summary: 'Make an earlier deployment the live one (rollback)',
    access: 'user or deploy',
    answer: z.object({ ok: z.literal(true), active_deployment_id: z.string() }),
    errors: ['not_found', 'not_activatable', 'deployment_failed'],
  },
  'POST /projects/:name/deployments/:id/promote': {
    summary: 'Make a branch deployment the live one',
    access: 'user',
    answer: z.object({
      ok: z.literal(true),
      active_deployment_id: z.string(),
      previous_deployment_id: z
        .string()
        .nullable()
        .describe('What was live before; activate it to take this back'),
    }),
    errors: ['not_found', 'not_activatable', 'deployment_failed'],
    note: 'Nothing is built or copied: the same files go live. The deployment keeps its permanent URL and stays at the URL of its branch. The next build of the production branch replaces it.',
  },
  'DELETE /projects/:name/deployments/:id': {
    summary: 'Delete an inactive deployment for good',
    access: 'user',
    answer: s.ok,
    errors: ['not_found', 'deployment_live', 'deployment_pinned'],
  },

  'POST /shares': {
    summary: 'Upload a temporary share; no project needed',
    access: 'user',
    query: z.object({ ttl: s.wholeNumber(limits.shareDays).describe('Days until it expires, 1–30') }),
    rawBody: gzip,
    status: 201,
    answer: s.createdShare,
    errors: [
      'invalid_archive',
      'invalid_request',
      'payload_too_large',
      'quota_exceeded',
      'unsupported_media_type',
    ],
    note: 'Optional headers: `X-Svc-Cli-Version`, `X-Svc-Git-Sha`.',
  },
  'GET /shares': {
    summary: 'Your unexpired shares',
    access: 'user',
    query: z.object(s.page),
    answer: z.object({ shares: z.array(s.share), next_cursor: s.nextCursor }),
  },
  'DELETE /shares/:name': {
    summary: 'Delete a share now',
    access: 'user',
    answer: s.ok,
    errors: ['not_found'],
  },
} as const satisfies Endpoints
