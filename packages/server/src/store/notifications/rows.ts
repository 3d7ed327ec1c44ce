// Where notifications go, what waits to be sent, and which problems were told of already.
export interface NotificationTargetRow {
  id: string
  /** Exactly one of the two owns it. */
  project_id: string | null
  org_id: string | null
  kind: 'webhook' | 'email'
  address: string
  /** JSON array. */
  events: string
  /** 1 if a webhook gets the last lines of an app with an error. */
  include_logs: number
  created_at: number
}

export interface NotificationSecretRow {
  target_id: string
  /** AES-256-GCM, see lib/seal. */
  sealed: string
  key_id: string
}

export interface NotificationDeliveryRow {
  id: string
  target_id: string
  type: string
  /** JSON: what happened. */
  content: string
  state: 'pending' | 'delivered' | 'failed'
  attempts: number
  /** When a worker sends it next. While a worker sends it: when another one may take over. Null when it is done. */
  next_at: number | null
  status: number | null
  response: string | null
  created_at: number
  delivered_at: number | null
}

export interface NotificationIncidentRow {
  project_id: string
  event: string
  /** The job, deployment or domain that has the problem. */
  subject: string
  notified_at: number
}
