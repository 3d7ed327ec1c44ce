// Visits to protected sites.

/** One-time codes that bring a signed-in member from the dashboard to a site of their org. */
export interface AccessCodeRow {
  code_hash: string
  project_id: string
  account_id: string
  host: string
  expires_at: number
}

/** Who may see the previews of a project. Without a row, whoever may see its site. */
export interface PreviewAccessRow {
  project_id: string
  mode: 'password' | 'org'
  /** In the mode `password`. */
  password_hash: string | null
}

/** A link that lets everyone who has it see one protected preview. */
export interface PreviewLinkRow {
  id: string
  project_id: string
  /** The slug of a branch, or the id of a deployment. */
  preview: string
  /** The name of the branch. `null` for the permanent URL of a deployment. */
  branch: string | null
  secret_hash: string
  created_by: string | null
  created_at: number
  expires_at: number
}
