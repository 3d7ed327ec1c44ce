// Runtime logs of a server app.
import { z } from 'zod'
import { timestamp } from './basics.ts'

export const logs = z.object({
  state: z.enum(['running', 'stopped', 'unreachable']),
  logs: z.string(),
  stopped_at: timestamp.nullable(),
})
