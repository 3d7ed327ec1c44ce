// Organizations: members, invites, tokens, icons, installations.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const displayName = z.string().max(100).nullish()

export const orgEndpoints = {
  'GET /orgs': {
    summary: 'Your orgs, with your role',
    access: 'user',
    query: z.object(s.page),
    answer: z.object({ orgs: z.array(s.org), next_cursor: s.nextCursor }),
  },
  'POST /orgs': {
    summary: 'Create an org; you become its owner',
    access: 'user',
    body: z.object({ name: z.string(), display_name: displayName }),
    status: 201,
    answer: s.org,
    errors: ['invalid_name', 'reserved_name', 'name_taken', 'quota_exceeded'],
  },
  'GET /orgs/:name': {
    summary: 'An org with its members',
    access: 'user',
    answer: s.orgDetail,
  },
  'PATCH /orgs/:name': {
    summary: 'Change the display name',
    access: 'user',
    body: z.object({ display_name: z.string().max(100).nullable() }),
    answer: s.org,
  },
  'DELETE /orgs/:name': {
    summary: 'Delete an empty org',
    access: 'user',
    answer: s.ok,
    errors: ['org_not_empty', 'subscription_active'],
  },
  'GET /orgs/:name/audit': {
    summary: 'Who changed what in the org',
    access: 'user',
    query: z.object(s.page),
    answer: z.object({ entries: z.array(s.auditEntry), next_cursor: s.nextCursor }),
  },

  'GET /orgs/:name/invites': {
    summary: 'Pending invites',
    access: 'user',
    answer: z.object({ invites: z.array(s.invite) }),
  },
  'POST /orgs/:name/invites': {
    summary: 'Invite someone; the link is in this answer only',
    access: 'user',
    body: z.object({ email: s.email, role: z.enum(['member', 'admin']).default('member') }),
    status: 201,
    answer: s.createdInvite,
    errors: ['invalid_request'],
  },
  'DELETE /orgs/:name/invites/:id': {
    summary: 'Revoke an invite',
    access: 'user',
    answer: s.ok,
    errors: ['not_found'],
  },
  'GET /invites/:token': {
    summary: 'What an invite is for',
    access: 'user',
    answer: z.object({ org: z.string(), role: s.role, sender: z.string() }),
    errors: ['not_found'],
  },
  'POST /invites/:token/accept': {
    summary: 'Join the org at the invited role',
    access: 'user',
    answer: s.org,
    errors: ['not_found', 'already_member'],
  },

  'PUT /orgs/:name/members/:login': {
    summary: "Change a member's role",
    access: 'user',
    body: z.object({ role: s.role }),
    answer: s.member,
    errors: ['last_owner', 'not_found'],
  },
  'DELETE /orgs/:name/members/:login': {
    summary: 'Remove a member, or leave',
    access: 'user',
    answer: s.ok,
    errors: ['last_owner', 'forbidden', 'not_found'],
  },

  'GET /orgs/:name/icon': {
    summary: 'The icon, or a redirect to an avatar of the git host',
    access: 'none',
    query: z.object({ v: z.string().max(100).optional() }),
    answer: 'image/*',
    errors: ['not_found'],
  },
  'PUT /orgs/:name/icon': {
    summary: `Upload an icon, at most ${limits.iconBytes / 1024} KB`,
    access: 'user',
    rawBody: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
    typeByContent: true,
    answer: z.object({ ok: z.literal(true), icon_url: z.string() }),
    errors: ['payload_too_large', 'unsupported_media_type'],
  },
  'DELETE /orgs/:name/icon': { summary: 'Remove the icon', access: 'user', answer: s.ok },

  'GET /orgs/:name/tokens': {
    summary: "The org's unrevoked tokens",
    access: 'user',
    query: z.object(s.page),
    answer: z.object({ tokens: z.array(s.orgToken), next_cursor: s.nextCursor }),
  },
  'POST /orgs/:name/tokens': {
    summary: "Create a token of the org's",
    access: 'user',
    body: z.object({ kind: z.enum(['ai', 'deploy']), ...s.newToken }),
    status: 201,
    answer: s.createdToken.extend({ created_by: z.string().nullable() }),
    errors: ['invalid_request'],
  },
  'DELETE /orgs/:name/tokens/:id': {
    summary: "Revoke a token of the org's",
    access: 'user',
    answer: s.ok,
    errors: ['not_found'],
  },

  'GET /orgs/:name/installations': {
    summary: 'Installations shared with the org',
    access: 'user',
    answer: z.object({ installations: z.array(s.installation) }),
  },
  'POST /orgs/:name/installations': {
    summary: 'Share an installation of yours with the org',
    access: 'user',
    body: z.object({ installation_id: z.number().int() }),
    status: 201,
    answer: s.installation,
    errors: ['shared_elsewhere', 'not_found'],
  },
  'DELETE /orgs/:name/installations/:id': {
    summary: 'Stop sharing an installation (the sharer, or an admin)',
    access: 'user',
    answer: s.ok,
    errors: ['not_found', 'forbidden'],
  },
} as const satisfies Endpoints
