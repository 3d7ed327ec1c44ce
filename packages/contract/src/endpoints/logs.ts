// Runtime logs of a project.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const unixSeconds = z.string().regex(/^\d{1,12}(\.\d{1,30})?$/, 'must be unix seconds')

export const logEndpoints = {
  'GET /projects/:name/logs': {
    summary: 'Runtime logs of the server app',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({
      tail: s.wholeNumber(limits.logsTail),
      since: unixSeconds.describe('Only newer lines; of a stopped app then none').optional(),
      until: unixSeconds.describe('Only older lines, to page back').optional(),
      timestamps: z.literal('1').optional(),
    }),
    answer: s.logs,
    errors: ['not_a_server', 'invalid_request', 'not_found'],
  },
} as const satisfies Endpoints
