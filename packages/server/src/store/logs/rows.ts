// The request log.

/** One request to a site, or several equal ones. There is no address, no user agent and no query. */
export interface RequestRow {
  project_id: string
  /** When it was answered. */
  created_at: number
  id: string
  method: string
  host: string
  path: string
  /** 0 if the client disconnected before an answer began. */
  status: number
  /** Null for an answer from memory. */
  ms: number | null
  bytes: number
  cache: string | null
  deployment_id: string | null
  request_id: string | null
  /** How many equal requests this row stands for. */
  times: number
  /** How many requests of the project were left out before this one, because there were too many. */
  left_out: number
}

/** A request of one node for log lines of another. */
export interface LogRequestRow {
  id: string
  /** The node that has the log. */
  node_id: string
  /** JSON. */
  request: string
  /** JSON; null until there is one. */
  answer: string | null
  created_at: number
}
