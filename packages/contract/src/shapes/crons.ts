// Scheduled jobs and their runs.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'

export const cron = z.object({
  id: id('cron'),
  schedule: z.string(),
  path: z.string(),
  method: z.string(),
  enabled: z.boolean(),
  created_at: timestamp,
  last_run_at: timestamp.nullable(),
  last_status: z.number().int().nullable(),
  next_run_at: timestamp.nullable(),
})

export const cronRun = z.object({
  started_at: timestamp,
  duration_ms: z.number().int(),
  status: z.number().int().nullable(),
  error: z.string().nullable(),
})

export type Cron = z.infer<typeof cron>
export type CronRun = z.infer<typeof cronRun>
