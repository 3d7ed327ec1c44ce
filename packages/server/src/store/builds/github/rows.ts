// GitHub: its users and installations here, deliveries of its webhook, and what it was told about builds.
export interface GitHubUserRow {
  account_id: string
  /** Stays the same when the login changes. */
  github_id: number
  login: string
  /** The user's token, as JSON. */
  sealed: string
  key_id: string
  updated_at: number
}

export interface GitHubInstallationRow {
  id: number
  /** The user or organization at GitHub. */
  account: string
  is_suspended: number
}

export interface GitHubDeliveryRow {
  id: string
  /** JSON; null once it was handled. */
  event: string | null
  /** Of the name of the event and its signed body. Null for deliveries of earlier versions of svcd. */
  body_hash: string | null
  received_at: number
  next_at: number
  attempts: number
}

export interface GitHubReportRow {
  build_id: string
  repository_id: string
  /** The status of the build that GitHub knows; empty before the first report. */
  told: string
  /** GitHub's id of the deployment. */
  deployment_id: number | null
  next_at: number
  attempts: number
}

export interface GitHubPullRow {
  repository_id: string
  number: number
  /** As builds name it: the branch, or `owner:branch` of a fork. */
  branch: string
  is_open: number
  /** 1 while the comment may differ from what it should say. */
  is_stale: number
  comment_id: number | null
  next_at: number
  attempts: number
}
