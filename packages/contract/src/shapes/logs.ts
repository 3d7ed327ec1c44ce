// Runtime logs of a server app, and the request log of a site.
import { z } from 'zod'
import { timestamp } from './basics.ts'

export const logLevel = z.enum(['debug', 'info', 'warn', 'error'])
export const logStream = z.enum(['stdout', 'stderr', 'platform'])

const logLine = z.object({
  at: z.string().describe('RFC 3339, UTC, with nine decimals'),
  stream: logStream.describe('`platform` for lines of the platform, such as a start'),
  level: logLevel.describe('What the text says; else `error` on stderr and `info` on stdout'),
  deployment_id: z.string(),
  instance_id: z.string().describe('The instance of the app that wrote it'),
  text: z.string(),
})

export const logs = z.object({
  state: z.enum(['running', 'stopped', 'unreachable']),
  logs: z.string(),
  stopped_at: timestamp.nullable(),
  lines: z.array(logLine).describe('Only with `details=1`, instead of `logs`').optional(),
  next_since: z
    .string()
    .describe('Only with `details=1`: the value of `since` that continues after these lines')
    .optional(),
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

export type LogLine = z.infer<typeof logLine>
export type LoggedRequest = z.infer<typeof loggedRequest>
