// Runtime logs and the request log of a project.
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
      timestamps: z.enum(['0', '1']).optional(),
      details: z
        .literal('1')
        .describe('Answer `lines`, with stream, level, deployment and instance; `since` also finds old lines')
        .optional(),
      branch: z
        .string()
        .min(1)
        .max(255)
        .describe('The log of the previews of this branch, not that of production')
        .optional(),
      deployment: z.string().max(64).describe('Only lines of this deployment').optional(),
      instance: z.string().max(64).describe('Only lines of this instance of the app').optional(),
      stream: s.logStream.describe('Only lines of this stream').optional(),
      level: s.logLevel.describe('Only lines that are at least as serious').optional(),
      search: z.string().max(200).describe('Only lines with this text, in capitals or not').optional(),
    }),
    answer: s.logs,
    errors: ['not_a_server', 'invalid_request', 'not_found'],
  },
  'GET /projects/:name/requests': {
    summary: 'The latest requests to the site, newest first',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({
      ...s.page,
      status: z
        .string()
        .regex(/^(0|[1-5](xx|\d\d))$/, 'must be a class such as 4xx, or a status such as 404')
        .describe('A class such as `4xx`, a status such as `404`, or `0` for clients that disconnected')
        .optional(),
      method: z
        .string()
        .regex(/^[A-Za-z-]{1,16}$/, 'must be an HTTP method such as GET')
        .describe('The HTTP method, in capitals or not')
        .optional(),
      host: z
        .string()
        .max(253)
        .regex(/^[\w.:[\]-]+$/, 'must be a host name, with or without a port')
        .describe('The host name, with or without its port')
        .optional(),
      path: z.string().max(512).describe('The beginning of the path').optional(),
      deployment: z.string().max(64).describe('Only answers of this deployment').optional(),
      request: z
        .string()
        .max(64)
        .describe('Only the request with this id, as in `X-Svc-Request-Id`')
        .optional(),
      since: unixSeconds.describe('Only newer requests').optional(),
      until: unixSeconds.describe('Only older requests').optional(),
    }),
    answer: z.object({
      requests: z.array(s.loggedRequest),
      next_cursor: s.nextCursor,
      sampled: z
        .boolean()
        .describe('Whether requests of this time were left out, because there were too many'),
    }),
    errors: ['invalid_request', 'stats_unavailable', 'not_found'],
  },
} as const satisfies Endpoints
