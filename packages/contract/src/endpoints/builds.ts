// The branches of a project, and the deploy hooks that build them.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

export const buildEndpoints = {
  'GET /projects/:name/branches': {
    summary: 'Branches: what each shows where, and its last build',
    access: 'user',
    answer: z.object({ branches: z.array(s.branch) }),
    errors: ['not_found'],
    note: 'The production branch first, then the 99 with the newest deployment or build.',
  },
  'GET /projects/:name/hooks': {
    summary: 'Deploy hooks, newest first',
    access: 'user',
    answer: z.object({ hooks: z.array(s.deployHook) }),
    errors: ['not_found'],
  },
  'POST /projects/:name/hooks': {
    summary: 'Create a deploy hook: a secret URL that builds a branch',
    access: 'user',
    body: z.object({
      name: z.string().trim().min(1, 'must not be empty').max(limits.deployHookName),
      branch: z.string().min(1).max(255).optional().describe('The production branch where it is left out'),
    }),
    status: 201,
    answer: s.createdDeployHook,
    errors: ['invalid_request', 'not_found'],
    note: 'The URL is in this answer alone: the platform keeps a hash of its secret. Lose it, and you create another hook.',
  },
  'DELETE /projects/:name/hooks/:id': {
    summary: 'Revoke a deploy hook; its URL stops working',
    access: 'user',
    answer: s.ok,
    errors: ['not_found'],
  },
  'POST /hooks/deploy/:secret': {
    summary: 'Build the branch of a deploy hook',
    access: 'none',
    status: 202,
    answer: s.hookedBuild,
    errors: ['not_found', 'not_buildable', 'rate_limit_exceeded'],
    rateLimit: '30 per 10 minutes per hook; 60 failed calls per 10 minutes per address',
    note: 'The secret in the URL is all that is needed. The body is ignored. While a build of the same commit is queued, that one is answered and no other is queued.',
  },
  'GET /hooks/deploy/:secret': {
    summary: 'Refused, so that link previews and crawlers build nothing',
    access: 'none',
    answer: s.ok,
    errors: ['method_not_allowed'],
  },
} as const satisfies Endpoints
