// Where notifications go, what they tell of, and the log of their deliveries.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'

/** What a target can ask for. A target of a failure also gets the message that it is over. */
export const notificationEvent = z.enum([
  'deploy.failed',
  'deploy.succeeded',
  'build.failed',
  'certificate.failed',
  'cron.failed',
  'app.crashing',
])

export const notificationTarget = z.object({
  id: id('ntf'),
  kind: z.enum(['webhook', 'email']),
  address: z.string().describe('The URL of a webhook, or the email address'),
  events: z.array(notificationEvent),
  include_logs: z
    .boolean()
    .describe('Whether a webhook gets the last lines of the app with the error of a failed deployment'),
  confirmed: z.boolean().describe('False until the owner of an email address has confirmed it'),
  created_at: timestamp,
})

export const notificationDelivery = z.object({
  id: id('dlv'),
  type: z.string().describe('The event, `cron.recovered` and the like when it is over, or `test`'),
  state: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.number().int(),
  status: z.number().int().nullable().describe('The HTTP status of the last answer of a webhook'),
  response: z.string().nullable().describe('The beginning of the last answer, or why there was none'),
  body: z.string().describe('What is sent'),
  created_at: timestamp,
  next_attempt_at: timestamp.nullable(),
  delivered_at: timestamp.nullable(),
})

export type NotificationEvent = z.infer<typeof notificationEvent>
export type NotificationTarget = z.infer<typeof notificationTarget>
export type NotificationDelivery = z.infer<typeof notificationDelivery>
