// Runtime logs of a server app, and the request log of a site.
import { z } from 'zod'
import { timestamp } from './basics.ts'

export const logs = z.object({
  state: z.enum(['running', 'stopped', 'unreachable']),
  logs: z.string(),
  stopped_at: timestamp.nullable(),
})

export const loggedRequest = z.object({
  id: z.string(),
  at: timestamp.describe('When it was answered'),
  method: z.string(),
  host: z.string(),
  path: z.string().describe('Without the query'),
  status: z.number().int().describe('0 if the client disconnected before an answer began'),
  ms: z
    .number()
    .int()
    .describe('From the request to the end of the answer; 0 for an answer from the memory of the edge'),
  bytes: z.number().int().describe('The body as sent'),
  cache: z.string().nullable().describe('The value of `X-Svc-Cache`'),
  deployment_id: z.string().nullable(),
  request_id: z.string().nullable().describe('The value of `X-Svc-Request-Id`'),
  count: z.number().int().describe('How many equal requests in a row this entry stands for'),
})

export type LoggedRequest = z.infer<typeof loggedRequest>
