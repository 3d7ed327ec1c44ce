// Projects: create, read, move, delete, and the log of who changed what.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const projectEndpoints = {
  'GET /projects': {
    summary: "Personal projects, newest first; with `org`, that org's",
    access: 'user or deploy',
    rateLimits: [],
    query: z.object({ org: z.string().max(100).optional(), ...s.page }),
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
  'POST /projects/:name/transfer': {
    summary: 'Move a project into an org, or back to personal',
    access: 'user',
    role: 'self',
    rateLimits: ['writes'],
    audit: ['project.transfer'],
    body: z.object({ org: z.string().nullable() }),
    answer: s.project,
    errors: ['not_found', 'forbidden', 'access_mode_conflict', 'owner_changed', 'quota_exceeded'],
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
