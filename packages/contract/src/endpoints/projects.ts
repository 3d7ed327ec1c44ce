// Projects: create, read, move, delete, and the log of who changed what.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const projectEndpoints = {
  'GET /projects': {
    summary: "Personal projects; with `org`, that org's",
    access: 'user or deploy',
    rateLimits: [],
    query: z.object({
      org: z.string().max(100).optional(),
      q: z.string().max(100).optional().describe('Only projects with these words in their name'),
      sort: z
        .enum(['created', 'activity', 'name'])
        .optional()
        .describe(
          '`created` (the default): newest first. `activity`: the last deployment or build first. `name`: by name. The last two begin with the projects that the caller starred',
        ),
      ...s.page,
    }),
    answer: z.object({ projects: z.array(s.listedProject), next_cursor: s.nextCursor }),
    errors: ['not_found'],
  },
  'POST /projects': {
    summary: 'Create a project',
    access: 'user',
    rateLimits: ['writes'],
    audit: ['project.create'],
    body: z.object({ name: z.string(), org: z.string().nullish() }),
    status: 201,
    answer: s.project,
    errors: ['invalid_name', 'reserved_name', 'name_taken', 'quota_exceeded', 'not_found'],
  },
  'GET /projects/:name': {
    summary: 'A project with its 20 most recent deployments and its domains',
    access: 'user or deploy',
    role: 'member',
    rateLimits: [],
    answer: s.projectDetail,
    errors: ['not_found'],
  },
  'PATCH /projects/:name': {
    summary: 'Set how long the deployments of a project are kept',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['project.retention'],
    note: 'Fields that are left out stay as they are. With `dry_run` nothing is saved: `deletes` says what would be deleted. The live deployment, deployments that a domain shows, and deployments whose server app runs are never deleted.',
    body: z.object({ retention: s.retention.partial(), dry_run: z.boolean().optional() }),
    answer: z.object({
      retention: s.retention,
      deletes: z
        .object({ deployments: z.number().int(), bytes: z.number().int() })
        .describe('What this setting deletes now'),
    }),
    errors: ['invalid_request', 'not_found', 'forbidden'],
  },
  'GET /projects/:name/picture': {
    summary: 'A picture of the live site, as PNG',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: 'image/*',
    errors: ['not_found'],
    note: 'There is one where the operator set up a Chromium. It is made some seconds after a deployment went live.',
  },
  'DELETE /projects/:name': {
    summary: 'Delete a project and everything in it',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['project.delete'],
    answer: s.ok,
    errors: ['not_found', 'forbidden'],
  },
  'PUT /projects/:name/star': {
    summary: 'Star a project. Stars are your own; other members do not see them',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: [],
    answer: s.ok,
    errors: ['not_found'],
  },
  'DELETE /projects/:name/star': {
    summary: 'Take your star off a project',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: [],
    answer: s.ok,
    errors: ['not_found'],
  },
  'PUT /projects/:name/production-lock': {
    summary: 'Lock production: pushes are built, but do not go live',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['production.lock'],
    answer: s.ok,
    errors: ['not_found'],
    note: 'A rollback of a project with a repository does this by itself. Deploys, rollbacks and builds that someone asks for go live all the same.',
  },
  'DELETE /projects/:name/production-lock': {
    summary: 'Unlock production: the next push goes live',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['production.unlock'],
    answer: s.ok,
    errors: ['not_found'],
  },
  'POST /projects/:name/transfer': {
    summary: 'Move a project into an org, or back to personal',
    access: 'user',
    role: 'self',
    rateLimits: ['writes'],
    audit: ['project.transfer'],
    body: z.object({ org: z.string().nullable() }),
    answer: s.project,
    errors: [
      'suspended',
      'not_found',
      'forbidden',
      'access_mode_conflict',
      'owner_changed',
      'quota_exceeded',
    ],
  },
  'POST /projects/:name/rename': {
    summary: 'Rename a project; the former name redirects to it for 30 days',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['project.rename'],
    body: z.object({ name: z.string().max(100) }),
    answer: s.project,
    errors: ['invalid_name', 'reserved_name', 'name_taken', 'not_found', 'forbidden'],
  },
  'GET /projects/:name/node': {
    summary: 'Which version of Node.js the project asks for, and which ones there are',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: s.projectNode,
    errors: ['not_found'],
  },
  'PUT /projects/:name/node': {
    summary: 'Set the version of Node.js of the next builds and deployments',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['project.node'],
    body: z.object({
      node: s.nodeRange
        .nullable()
        .describe('Such as `22` or `>=20`; null lets the files of the project decide'),
    }),
    answer: s.projectNode,
    errors: ['invalid_request', 'not_found'],
  },
  'GET /projects/:name/audit': {
    summary: 'Who changed what in the project',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object(s.page),
    answer: z.object({ entries: z.array(s.auditEntry), next_cursor: s.nextCursor }),
    errors: ['not_found'],
  },
} as const satisfies Endpoints
