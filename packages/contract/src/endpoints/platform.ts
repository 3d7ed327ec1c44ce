// The platform itself: its health, this API as a document, its metrics.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const platformEndpoints = {
  'GET /health': {
    summary: 'Whether the database and the storage answer',
    access: 'none',
    rateLimits: [],
    answer: z.object({ ok: z.literal(true), dashboard_url: z.string(), version: z.string() }),
  },
  'GET /health/live': {
    summary: 'Whether the process answers; for programs that restart it',
    access: 'none',
    rateLimits: [],
    answer: z.object({ ok: z.literal(true) }),
  },
  'GET /health/ready': {
    summary: 'Whether this node can do its work; for load balancers',
    access: 'none',
    rateLimits: [],
    answer: z.object({ ok: z.literal(true) }),
    errors: ['unavailable'],
    note: 'Answers within a second, 503 with the reason if it cannot.',
  },
  'GET /hosts/known': {
    summary: 'Whether the platform serves a host; for reverse proxies that get certificates on demand',
    access: 'none',
    rateLimits: [],
    query: z.object({ domain: z.string().min(1).max(255).describe('The host name, without a port') }),
    answer: s.ok,
    errors: ['not_found'],
    note: 'The URL for `on_demand_tls` `ask` of Caddy. 200 for the hosts of the platform, of projects, previews and permanent URLs that exist, and for attached custom domains; 404 for all others.',
  },
  'POST /nodes/join': {
    summary: 'The sealed settings for a new node of the platform, once for each code',
    access: 'none',
    rateLimits: ['nodeJoins'],
    audit: ['node.join'],
    body: z.object({ invite: z.string().max(100) }),
    answer: z.object({ sealed: z.string() }),
    errors: ['not_found'],
    note: 'For `svcd join`. `invite` is derived from the code that `svcd nodes invite` printed, and only the code opens the answer.',
  },
  'GET /openapi.json': {
    summary: 'This API as OpenAPI 3.1',
    access: 'none',
    rateLimits: [],
    answer: z.record(z.string(), z.unknown()),
  },
  'GET /activity': {
    summary: 'What was changed lately in your projects, or in those of an org, newest first',
    access: 'user',
    rateLimits: [],
    query: z.object({ org: z.string().max(100).optional(), limit: s.page.limit }),
    answer: z.object({ entries: z.array(s.auditEntry) }),
    errors: ['not_found'],
    note: 'Entries of the audit logs of the last 30 days. Admins and owners of an org also see what was changed in the org itself.',
  },
  'GET /events': {
    summary: 'What changes in your projects, as it happens, as server-sent events',
    access: 'user',
    rateLimits: ['eventStreams'],
    query: z.object({
      org: z
        .string()
        .max(100)
        .optional()
        .describe('Only projects of this org; default: yours and those of all your orgs'),
    }),
    answer: 'text/event-stream',
    errors: ['not_found'],
    note: 'Events: `ready` first; `change` with `topic` (`project`, `deployment`, `app`, `build`, `domain`, `cron`, `workspace`), `project` and `id`; `reload` if events were lost. An event says what changed, not how: read it again. The stream ends when the token does.',
  },
  'GET /metrics': {
    summary: 'Metrics for Prometheus',
    access: 'platform admin',
    rateLimits: [],
    answer: 'text/plain',
  },
} as const satisfies Endpoints
