// The operator area: for platform admins only.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const adminEndpoints = {
  'GET /admin/overview': {
    summary: 'Disk, memory, queues, checks and limits of the platform',
    access: 'platform admin',
    rateLimits: [],
    answer: s.adminOverview,
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
  'GET /admin/certificates': {
    summary: 'The certificates of all custom domains, by name, and of the platform itself',
    access: 'platform admin',
    rateLimits: [],
    query: z.object({
      ...s.page,
      cursor: z.string().max(300).optional().describe('The `next_cursor` of the page before'),
    }),
    answer: z.object({ certificates: z.array(s.adminCertificate), next_cursor: s.nextCursor }),
  },
} as const satisfies Endpoints
