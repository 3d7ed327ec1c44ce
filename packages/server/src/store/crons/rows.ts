// Scheduled jobs and their runs.

export interface CronRow {
  id: string
  project_id: string
  schedule: string
  path: string
  method: string
  enabled: number
  created_at: number
  /** The start of the minute in which it is due; null while it is disabled, or where it never is. */
  next_run_at: number | null
  /** The run under way, and until when it is believed to be. */
  running: string | null
  running_until: number | null
}

export interface CronRunRow {
  id: string
  cron_id: string
  started_at: number
  duration_ms: number
  /** Null where there was no answer. */
  status: number | null
  error: string | null
}

export interface CronSecretRow {
  project_id: string
  /** AES-256-GCM, see lib/seal. */
  sealed: string
  key_id: string
}
