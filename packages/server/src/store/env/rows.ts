// The variables of projects.
import type { EnvScope } from '@svc/contract'

export interface EnvVarRow {
  project_id: string
  key: string
  /** AES-256-GCM, see lib/seal. */
  sealed: string
  /** Which key sealed it. */
  key_id: string
  scope: EnvScope
  updated_at: number
}
