// The state of a server app.
import { z } from 'zod'
import { timestamp } from './basics.ts'

export const appState = z.object({
  state: z.enum(['running', 'starting', 'stopped', 'crashed']),
  since: timestamp.nullable(),
  error: z.string().nullable().describe('If it crashed or did not start: the reason, and its last lines'),
  restart: z
    .object({ state: z.enum(['starting', 'failed']), error: z.string().nullable() })
    .optional()
    .describe(
      'A restart that is in progress or that failed. After a failed one the previous instance keeps running with the former variables, and `error` has the reason and the last lines',
    ),
  usage: z
    .object({
      memory_bytes: z.number().int(),
      cpu_cores: z
        .number()
        .nullable()
        .describe('0.25 is a quarter of a core; null after the first measurement'),
    })
    .optional()
    .describe('Of a running app: what it uses, measured every 10 seconds'),
})

export type AppState = z.infer<typeof appState>
