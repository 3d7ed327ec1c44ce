// The variables of projects.
import type { EnvScope } from '@svc/contract'

export interface EnvVarRow {
  project_id: string
  key: string
  /** With a branch always `preview`. */
  environment: 'both' | 'production' | 'preview'
  /** Empty: all branches. */
  branch: string
  /** AES-256-GCM, see lib/seal. */
  sealed: string
  /** Which key sealed it. */
  key_id: string
  scope: EnvScope
  /** 1: the API never answers the value. */
  secret: number
  updated_at: number
}

/** The columns that name a variable. */
export type EnvVarId = Pick<EnvVarRow, 'project_id' | 'key' | 'environment' | 'branch'>
