// The operator area, for platform admins only: accounts, limits, suspensions, invitations.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const suspending = {
  access: 'platform admin',
  rateLimits: ['writes'],
  body: z.object({
    status: z
      .union([z.literal(451), z.literal(503)])
      .optional()
      .describe('What visitors get; 503 by default. 451 means: for legal reasons'),
    reason: s.suspensionReason,
  }),
  answer: z.object({ suspended: s.suspension }),
  errors: ['invalid_request', 'not_found'],
} as const

const resuming = {
  access: 'platform admin',
  rateLimits: ['writes'],
  answer: s.ok,
  errors: ['not_found'],
} as const

export const adminEndpoints = {
  'GET /admin/overview': {
    summary: 'Disk, memory, queues, checks and limits of the platform',
    access: 'platform admin',
    rateLimits: [],
    answer: s.adminOverview,
  },
  'GET /admin/charts': {
    summary: 'Requests, errors, answer times, memory and CPU of the whole platform over time',
    access: 'platform admin',
    rateLimits: [],
    query: z.object({ range: s.chartRange.default('1h') }),
    answer: s.charts,
    errors: ['invalid_request'],
  },
  'GET /admin/users': {
    summary: 'All accounts, newest first, with what they use',
    access: 'platform admin',
    rateLimits: [],
    query: z.object({
      ...s.page,
      search: z.string().max(100).optional().describe('Part of the login or of the email address'),
    }),
    answer: z.object({ users: z.array(s.adminUser), next_cursor: s.nextCursor }),
  },
  'PATCH /admin/users/:login': {
    summary: 'Disable or enable an account, or change whether it is a platform admin',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['account.disable', 'account.enable', 'account.admin-on', 'account.admin-off'],
    note: 'A disabled account cannot sign in, and the tokens that it created do not work. Its sites stay online. Enabling it makes the tokens work again, but not the sessions of the dashboard.',
    body: z.object({
      disabled: z.boolean().optional(),
      admin: z.boolean().optional(),
      confirm: z
        .string()
        .max(100)
        .optional()
        .describe('Your own login. Needed to disable your own account, or to stop being a platform admin'),
    }),
    answer: s.adminUser,
    errors: ['invalid_request', 'not_found', 'last_admin'],
  },
  'DELETE /admin/users/:login': {
    summary: 'Delete an account with everything it owns, after the grace time or at once',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['account.delete'],
    note: 'As with `DELETE /me`. With `now`, there is no way back, and the deletion begins within a minute.',
    body: z.object({
      confirm: z.string().max(100).describe('The login of the account'),
      now: z.boolean().optional().describe('Without the grace time'),
    }),
    answer: s.adminUser,
    errors: ['invalid_request', 'not_found', 'last_owner', 'last_admin', 'payment_pending'],
  },
  'POST /admin/users/:login/keep': {
    summary: 'Keep an account that waits for its deletion',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['account.keep'],
    answer: s.adminUser,
    errors: ['not_found'],
  },
  'GET /admin/limits/:owner': {
    summary: 'The limits of an account or an org, and what is used of them',
    access: 'platform admin',
    rateLimits: [],
    note: '`:owner` is the login of the account, or the name of the org.',
    answer: s.ownerLimits,
    errors: ['not_found'],
  },
  'PATCH /admin/limits/:owner': {
    summary: 'Give an account or an org other limits than its plan or the settings',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['limits.change'],
    note: 'They count at once. Nothing that exists is deleted or stopped, also if more is used than is allowed now.',
    body: s.limitChanges,
    answer: s.ownerLimits,
    errors: ['invalid_request', 'not_found'],
  },
  'GET /admin/suspensions': {
    summary: 'Suspended projects and accounts, newest first',
    access: 'platform admin',
    rateLimits: [],
    query: z.object(s.page),
    answer: z.object({ suspensions: z.array(s.adminSuspension), next_cursor: s.nextCursor }),
  },
  'PUT /admin/projects/:name/suspension': {
    ...suspending,
    summary: 'Suspend a project or a temporary share',
    audit: ['project.suspend'],
    note: 'Visitors of all of its hosts get a page with the status and the reason, at once. Its running apps are killed. Deploys, builds, activations, scheduled jobs and AI calls answer `suspended`. Nothing is deleted. A second suspension replaces the first.',
  },
  'DELETE /admin/projects/:name/suspension': {
    ...resuming,
    summary: 'Resume a suspended project',
    audit: ['project.resume'],
  },
  'PUT /admin/users/:login/suspension': {
    ...suspending,
    summary: 'Suspend an account: all of its personal projects and temporary shares',
    audit: ['account.suspend'],
    note: 'The account can sign in and see the reason. Its AI tokens answer `suspended`. The projects of its orgs are not concerned. To keep it from signing in, disable it.',
  },
  'DELETE /admin/users/:login/suspension': {
    ...resuming,
    summary: 'Resume a suspended account',
    audit: ['account.resume'],
  },
  'GET /admin/audit/export': {
    summary: 'The audit log of all projects, orgs and accounts as JSON lines, newest first',
    access: 'platform admin',
    rateLimits: ['exports'],
    note: 'Each line is an entry as in `GET /orgs/:name/audit`, with its `id`, and the `org` that it belongs to.',
    query: z.object({
      since: z.iso.datetime({ offset: true }).optional().describe('Only entries from this time on'),
    }),
    answer: 'application/x-ndjson',
    errors: ['invalid_request'],
  },
  'GET /admin/invites': {
    summary: 'Pending invitations to create an account, newest first',
    access: 'platform admin',
    rateLimits: [],
    answer: z.object({ invites: z.array(s.accountInvite) }),
  },
  'POST /admin/invites': {
    summary: 'Invite somebody to create an account, also if sign-ups are closed',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['signup-invite.create'],
    note: 'The link is mailed if `email` is given and the platform has a mail server. At most 200 are pending.',
    body: z.object({
      email: s.email.nullish(),
      expires_in_days: z.number().int().min(1).max(30).optional().describe(`${limits.inviteDays} by default`),
    }),
    status: 201,
    answer: s.createdAccountInvite,
    errors: ['invalid_request'],
  },
  'DELETE /admin/invites/:id': {
    summary: 'Revoke an invitation',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['signup-invite.revoke'],
    answer: s.ok,
    errors: ['not_found'],
  },
  'GET /auth/account-invites/:token': {
    summary:
      'Who sent an invitation to create an account. `POST /auth/signup` takes the token as `invite_token`',
    access: 'none',
    rateLimits: ['inviteLooks'],
    answer: z.object({ sender: z.string(), email: z.string().nullable(), expires_at: s.timestamp }),
    errors: ['not_found'],
  },
} as const satisfies Endpoints
