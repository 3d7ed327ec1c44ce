// The state of a server app.
import { z } from 'zod'
import { limits } from '../limits.ts'
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

export const command = z
  .array(z.string())
  .min(1)
  .max(limits.runArguments)
  .describe('A program and its arguments. One alone is a line for the shell')

const side = z.number().int().min(1).max(1000)

export const terminalSize = z.object({ columns: side, rows: side })

export const terminal = terminalSize.extend({
  type: z
    .string()
    .regex(/^[\w.+-]{1,64}$/)
    .describe('The value of TERM'),
})

export type TerminalSize = z.infer<typeof terminalSize>
export type Terminal = z.infer<typeof terminal>

/** The first line of a client that attends a command. */
export const attendedCommand = z.object({ command, terminal: terminal.optional() })

/** Its lines after that. */
export const attendedInput = z.union([
  z.object({ stdin: z.base64() }),
  z.object({ end: z.literal(true) }),
  z.object({ size: terminalSize }),
])
