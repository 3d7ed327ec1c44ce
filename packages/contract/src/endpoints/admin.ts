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
