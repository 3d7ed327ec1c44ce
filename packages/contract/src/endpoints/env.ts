// Environment variables of a project.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { environments } from '../environments.ts'
import * as s from '../shapes.ts'

export const envEndpoints = {
  'GET /projects/:name/env': {
    summary: 'Environment variables, decrypted',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({ environment: s.environment.optional().describe('Only those that are set there') }),
    answer: z.object({ env: z.array(s.envVar) }),
    errors: ['not_found'],
  },
  'PUT /projects/:name/env/:key': {
    summary: 'Set an environment variable; without a scope the stored one is kept',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['env.set'],
    body: z.object({
      value: s.envValue,
      scope: s.envScope.optional(),
      environments: z
        .array(s.environment)
        .min(1)
        .max(2)
        .optional()
        .describe('Without it: both, or `preview` if there is a branch'),
      branch: s.envBranch.nullish().describe('Only for the previews of this branch'),
      secret: z.boolean().optional().describe('True: the value is never answered again'),
    }),
    answer: z.object({
      key: z.string(),
      scope: s.envScope,
      ...z.object(s.envTarget).partial().shape,
      restarting: s.restarting,
    }),
    note: 'A key may have one variable for both environments, one for each environment, and one for each branch. `environments` and `branch` say which one is set. The answer has them, and `secret`, if the call names one of the three.',
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /projects/:name/env/:key': {
    summary: 'Remove an environment variable',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['env.delete'],
    query: z.object({
      environment: z
        .enum([...environments, 'both'])
        .optional()
        .describe('Only the variable of this environment; `both`: only the one of both'),
      branch: s.envBranch.optional().describe('Only the variable of this branch'),
    }),
    answer: s.ok.extend({ restarting: s.restarting }),
    errors: ['invalid_request', 'not_found'],
    note: 'Without a query, all variables of the key are removed.',
  },
} as const satisfies Endpoints
