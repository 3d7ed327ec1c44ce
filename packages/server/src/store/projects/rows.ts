// Projects: their deployments, settings, forms and scheduled jobs.
import type { DeploymentKind, DeploymentStatus, EnvScope } from '@svc/contract'

export interface ProjectRow {
  id: string
  name: string
  /** Exactly one of account_id (personal) and org_id is set. */
  account_id: string | null
  org_id: string | null
  active_deployment_id: string | null
  expires_at: number | null
  created_at: number
  access_mode: 'public' | 'password' | 'org'
  /** Of the site's password, in the mode `password`. */
  password_hash: string | null
  /** Moves with every change of the access; visitors' cookies of other generations are void. */
  access_generation: number
}

/** Which deployments are deleted by themselves. Null keeps all. */
export interface RetentionRow {
  project_id: string
  /** How many former production deployments are kept. */
  production_count: number | null
  /** For how many days a preview is kept. */
  preview_days: number | null
}

/** The picture of a site. The row is made when a worker begins with it. */
export interface ProjectPictureRow {
  project_id: string
  deployment_id: string
  attempts: number
  /** When a worker may try again. Null when it is done. */
  next_at: number | null
  /** Null while there is no picture. */
  hash: string | null
  base64: string | null
}

export interface StarRow {
  account_id: string
  project_id: string
}

/** A name that a project had before. It redirects to the project, and nobody else can take it. */
export interface FormerNameRow {
  name: string
  project_id: string
  until: number
}

export interface DeploymentRow {
  id: string
  project_id: string
  status: DeploymentStatus
  kind: DeploymentKind
  created_at: number
  /** When it went online or failed; null while it is uploaded, and in records of earlier versions. */
  finished_at: number | null
  file_count: number | null
  size_bytes: number | null
  git_sha: string | null
  git_branch: string | null
  /** The branch's part of the host name, see core/projects/labels.ts. */
  branch_slug: string | null
  cli_version: string | null
  created_by: string | null
  /** JSON array of strings. */
  warnings: string
  error: string | null
  /** The node that receives the upload, so that it can clean up after itself. */
  node_id: string
  /** Only for server apps: the framework, see core/apps/frameworks.ts. */
  framework: string | null
  /** Only for server apps: the argv as JSON. */
  start_command: string | null
  /** 1: from a pull request of a fork. A server gets no variables of the project. */
  from_fork: number
  /** Of an upload that broke off: until when the files that had arrived are kept. */
  parts_until: number | null
}

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

/** One-time codes that bring a signed-in member from the dashboard to a site of their org. */
export interface AccessCodeRow {
  code_hash: string
  project_id: string
  account_id: string
  host: string
  expires_at: number
}

/** A deployment without a record, whose packs are still to be deleted. */
export interface DiscardedPackRow {
  deployment_id: string
  discarded_at: number
}

export interface FormRow {
  project_id: string
  name: string
  /** `on` (the owners), `off`, or an address. */
  notify: string
  /** Null: submissions are kept. */
  retention_days: number | null
  created_at: number
  /** Of all its submissions. */
  stored_bytes: number
  /** How many submissions of bots were dropped. */
  trapped: number
}

export interface MailRecipientRow {
  /** An account's or an org's. */
  owner_id: string
  /** In lower case. */
  address: string
  token_hash: string
  asked_at: number
  confirmed_at: number | null
}

export interface SubmissionRow {
  id: string
  project_id: string
  form: string
  /** JSON object. */
  fields: string
  country: string | null
  referrer: string | null
  /** 1 until the email that tells of it was taken by the mail server. */
  mail_due: number
  /** 1 once a member has opened it. */
  is_read: number
  /** 1 if a member marked it as spam. */
  is_spam: number
  created_at: number
}

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
