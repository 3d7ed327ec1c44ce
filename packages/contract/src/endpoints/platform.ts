// The platform itself: its health, this API as a document, its metrics.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'

export const platformEndpoints = {
  'GET /health': {
    summary: 'Whether the database and the storage answer',
    access: 'none',
    rateLimits: [],
    answer: z.object({ ok: z.literal(true), dashboard_url: z.string() }),
  },
  'GET /openapi.json': {
    summary: 'This API as OpenAPI 3.1',
    access: 'none',
    rateLimits: [],
    answer: z.record(z.string(), z.unknown()),
  },
  'GET /metrics': {
    summary: 'Metrics for Prometheus; for admins of the platform',
    access: 'user',
    rateLimits: [],
    answer: 'text/plain',
    errors: ['forbidden'],
  },
} as const satisfies Endpoints
