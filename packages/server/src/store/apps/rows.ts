// Server apps: what runs where.

/** One instance of a server app, from the request for it to its end. */
export interface AppInstanceRow {
  id: string
  project_id: string
  deployment_id: string
  state: 'wanted' | 'starting' | 'ready' | 'draining' | 'ended'
  /** How it ended. */
  outcome: 'stopped' | 'failed' | 'crashed' | 'lost' | null
  /** Of one that failed or crashed: what happened, and its last lines. */
  error: string | null
  /** The node that runs it; null while none has taken it. */
  node_id: string | null
  host: string | null
  port: number | null
  /** The port that the app was told to listen on. */
  app_port: number | null
  /** The project's generation when it started. */
  generation: number
  /** How many earlier instances failed or crashed in a row. */
  crashes: number
  /** It may not be started earlier. */
  not_before: number
  /** The disk that it writes to. */
  disk_id: string | null
  /** 1: a deploy or a rollback asked for it, so it takes the disk from the live deployment. */
  takes_disk: number
  created_at: number
  /** When a request was last known to be under way. Edges update it at intervals. */
  used_at: number
  ready_at: number | null
  draining_at: number | null
  ended_at: number | null
  /** As last measured. Null before the first measurement. */
  memory_bytes: number | null
  /** Thousandths of a core, since the measurement before. */
  cpu_millicores: number | null
}

/** Grows when the running apps of a project must restart. 0 if there is no row. */
export interface AppGenerationRow {
  project_id: string
  generation: number
}
