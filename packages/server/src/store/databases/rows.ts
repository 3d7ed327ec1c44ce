// The databases of projects.

export interface AppDatabaseRow {
  /** The name of the database and of its role. */
  id: string
  /** Null if the project was deleted, for previews, and while a dump fills a database that will take the place of another. */
  project_id: string | null
  /** The project, if this is the database of a preview. */
  preview_of: string | null
  /** The branch of the preview. Empty for production. */
  branch: string
  /** What the databases of previews begin with. Of production's alone. */
  preview_data: 'empty' | 'copy'
  /** SQL that runs in such a copy before anyone sees it. Of production's alone. */
  preview_mask: string | null
  /** The password. AES-256-GCM, see lib/seal. */
  sealed: string
  key_id: string
  size_bytes: number
  connections: number
  /** What it was set to. */
  mode: 'writable' | 'read-only' | 'closed'
  created_at: number
  /** Null until the server has it. */
  ready_at: number | null
  /** Null while it is in use. */
  removed_at: number | null
  used_bytes: number | null
  /** Who fills or replaces it now. See `core/databases/filling.ts`. */
  filled_by: string | null
  filled_until: number | null
  /** When the seed command had succeeded on it. */
  seeded_at: number | null
}
