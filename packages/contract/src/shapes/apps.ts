// What a server app does now.
import { z } from 'zod'
import { timestamp } from './basics.ts'

export const appState = z.object({
  state: z.enum(['running', 'starting', 'stopped', 'crashed']),
  since: timestamp.nullable(),
  error: z.string().nullable().describe('Where it crashed or did not start: why, and its last lines'),
  restart: z
    .object({ state: z.enum(['starting', 'failed']), error: z.string().nullable() })
    .optional()
    .describe(
      'A restart of the running app that is under way, or that failed: then the instance from before keeps running with the former variables, and `error` says why, with the last lines',
    ),
})

export type AppState = z.infer<typeof appState>
