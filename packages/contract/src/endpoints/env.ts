// Environment variables of a project.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const envEndpoints = {
  'GET /projects/:name/env': {
    summary: 'Environment variables, decrypted',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({ env: z.array(s.envVar) }),
    errors: ['not_found'],
  },
  'PUT /projects/:name/env/:key': {
    summary: 'Set an environment variable; without a scope the stored one is kept',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['env.set'],
    body: z.object({ value: s.envValue, scope: s.envScope.optional() }),
    answer: z.object({ key: z.string(), scope: s.envScope, restarting: s.restarting }),
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /projects/:name/env/:key': {
    summary: 'Remove an environment variable',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['env.delete'],
    answer: s.ok.extend({ restarting: s.restarting }),
    errors: ['not_found'],
  },
} as const satisfies Endpoints
