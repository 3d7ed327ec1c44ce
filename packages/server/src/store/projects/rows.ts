// Projects: their names, settings and pictures.

export interface ProjectRow {
  id: string
  name: string
  /** Exactly one of account_id (personal) and org_id is set. */
  account_id: string | null
  org_id: string | null
  active_deployment_id: string | null
  expires_at: number | null
  created_at: number
  /** When it was last deployed or built, if that was later than `created_at`. */
  active_at: number | null
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

/** The version of Node that a project asks for, whatever its files say. */
export interface ProjectNodeRow {
  project_id: string
  /** Such as `22` or `>=20`. */
  range: string
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

/** Written by the operator. The id is that of the project or account. */
export interface SuspensionRow {
  /** Of a project, an account or an org. */
  id: string
  /** `deletion`: the account, or the org that goes with it, waits for its deletion. The operator gives the others. */
  kind: 'project' | 'account' | 'deletion'
  /** What visitors get. */
  status: 451 | 503
  reason: string
  created_at: number
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
