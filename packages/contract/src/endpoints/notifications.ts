// Notifications of a project, and of all projects of an org: webhooks and emails.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const events = z.array(s.notificationEvent).min(1).max(20)
const address = z.string().min(1).max(limits.webhookUrl)

const includeLogs = z
  .boolean()
  .describe(
    'Send the last lines of the app with the error of a failed deployment to a webhook. Default: false',
  )

const list = {
  summary: 'Where notifications go',
  access: 'user',
  rateLimits: [],
  answer: z.object({ targets: z.array(s.notificationTarget) }),
  errors: ['not_found'],
} as const

const add = {
  summary: 'Send notifications to a webhook or an email address',
  access: 'user',
  rateLimits: ['writes'],
  audit: ['notification.create'],
  body: z.object({
    kind: z.enum(['webhook', 'email']),
    address,
    events: events.optional().describe('Default: every failure'),
    include_logs: includeLogs.optional(),
  }),
  status: 201,
  answer: s.notificationTarget.extend({
    secret: z
      .string()
      .nullable()
      .describe(
        'Signs the requests of a webhook. It is shown only here. Null for an email address, and for the webhooks of Slack, Discord and Teams, which check no signature',
      ),
  }),
  errors: ['invalid_request', 'not_found'],
} as const

const change = {
  summary: 'Change the events or the address of a target',
  access: 'user',
  rateLimits: ['writes'],
  audit: ['notification.update'],
  body: z.object({ events, address, include_logs: includeLogs }).partial(),
  answer: s.notificationTarget,
  errors: ['invalid_request', 'not_found'],
} as const

const remove = {
  summary: 'Delete a target and its log',
  access: 'user',
  rateLimits: ['writes'],
  audit: ['notification.delete'],
  answer: s.ok,
  errors: ['not_found'],
} as const

const test = {
  summary: 'Send a test notification',
  access: 'user',
  rateLimits: ['writes', 'notificationTests'],
  audit: [],
  status: 202,
  answer: s.notificationDelivery,
  errors: ['invalid_request', 'not_found'],
  note: 'The log of the target shows how it went.',
} as const

const log = {
  summary: 'The last deliveries to a target, newest first',
  access: 'user',
  rateLimits: [],
  answer: z.object({ deliveries: z.array(s.notificationDelivery) }),
  errors: ['not_found'],
} as const

const resend = {
  summary: 'Send a notification again',
  access: 'user',
  rateLimits: ['writes', 'notificationTests'],
  audit: [],
  status: 202,
  answer: s.notificationDelivery,
  errors: ['not_found'],
  note: 'The notification keeps its id, so that a receiver can tell that it has seen it.',
} as const

export const notificationEndpoints = {
  'GET /projects/:name/notifications': { ...list, role: 'member' },
  'POST /projects/:name/notifications': { ...add, role: 'member' },
  'PATCH /projects/:name/notifications/:id': { ...change, role: 'member' },
  'DELETE /projects/:name/notifications/:id': { ...remove, role: 'member' },
  'POST /projects/:name/notifications/:id/test': { ...test, role: 'member' },
  'GET /projects/:name/notifications/:id/deliveries': { ...log, role: 'member' },
  'POST /projects/:name/notifications/:id/deliveries/:delivery/resend': { ...resend, role: 'member' },
  'GET /orgs/:name/notifications': { ...list, role: 'admin' },
  'POST /orgs/:name/notifications': { ...add, role: 'admin' },
  'PATCH /orgs/:name/notifications/:id': { ...change, role: 'admin' },
  'DELETE /orgs/:name/notifications/:id': { ...remove, role: 'admin' },
  'POST /orgs/:name/notifications/:id/test': { ...test, role: 'admin' },
  'GET /orgs/:name/notifications/:id/deliveries': { ...log, role: 'admin' },
  'POST /orgs/:name/notifications/:id/deliveries/:delivery/resend': { ...resend, role: 'admin' },
} as const satisfies Endpoints
