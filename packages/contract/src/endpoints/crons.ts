// Scheduled jobs of a project.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

const schedule = z.string().max(100)
const path = z.string().min(1).max(2048)
const method = z.string().max(10)

export const cronEndpoints = {
  'GET /projects/:name/crons': {
    summary: 'Scheduled jobs',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({ crons: z.array(s.cron), verification_secret: z.string() }),
    errors: ['not_found'],
  },
  'POST /projects/:name/crons': {
    summary: 'Create a scheduled job (5 fields, UTC)',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['cron.create'],
    body: z.object({ schedule, path, method: method.optional() }),
    status: 201,
    answer: s.cron,
    errors: ['invalid_request', 'not_found'],
  },
  'PATCH /projects/:name/crons/:id': {
    summary: 'Change a scheduled job, enable or disable it',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['cron.enable', 'cron.disable', 'cron.update'],
    body: z.object({ enabled: z.boolean(), schedule, path, method }).partial(),
    answer: s.cron,
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /projects/:name/crons/:id': {
    summary: 'Delete a scheduled job',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['cron.delete'],
    answer: s.ok,
    errors: ['not_found'],
  },
  'GET /projects/:name/crons/next': {
    summary: 'The next five runs of a schedule, before a job is saved with it',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({ schedule }),
    answer: z.object({ schedule: z.string(), next_runs: z.array(s.timestamp) }),
    errors: ['invalid_request', 'not_found'],
  },
  'GET /projects/:name/crons/:id/runs': {
    summary: 'The last 20 runs of a scheduled job',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({ runs: z.array(s.cronRun) }),
    errors: ['not_found'],
  },
  'POST /projects/:name/crons/:id/run': {
    summary: 'Run a scheduled job now, in addition to its schedule',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: [],
    answer: s.cronRun,
    errors: ['suspended', 'run_under_way', 'not_found'],
    note: 'Answers when the site has answered, or after 60 seconds.',
  },
} as const satisfies Endpoints
