// Deployments, and what is left of deleted ones.
import type { DeploymentKind, DeploymentStatus } from '@svc/contract'

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
  /** As the uploader reports them. Null for what a build published: the build has them. */
  commit_message: string | null
  commit_author: string | null
  git_branch: string | null
  /** The branch's part of the host name, see core/base/labels.ts. */
  branch_slug: string | null
  cli_version: string | null
  created_by: string | null
  /** JSON array of strings. */
  warnings: string
  error: string | null
  /** The node that receives the upload, so that it can clean up after itself. */
  node_id: string
  /** Only for server apps: the framework, see core/deployments/frameworks.ts. */
  framework: string | null
  /** Only for server apps: the argv as JSON. */
  start_command: string | null
  /** 1: from a pull request of a fork. A server gets no variables of the project. */
  from_fork: number
  /** Of an upload that broke off: until when the files that had arrived are kept. */
  parts_until: number | null
  /** When another deployment took its place in production. Null while it is live, and in records of earlier versions. */
  superseded_at: number | null
  /** The range of Node versions that it asks for. Null for what the platform gives by default, and in records of earlier versions. */
  node_asked: string | null
  /** The version of Node that it was built with, or that a server was deployed for. */
  node_version: string | null
  /** The image that its Dockerfile made. Null if its files run, and in records of earlier versions. */
  image: string | null
  /** The shell line that runs once before the server goes live. Null if there is none, and in records of earlier versions. */
  release_command: string | null
  /** A shell line that fills the new database and the new disk of a preview. */
  seed_command: string | null
  /** When the release command had succeeded. */
  released_at: number | null
}

/** What the files of a project's deployments take. */
export interface StoredTotalRow {
  project_id: string
  /** Of the deployments, without what each takes besides its files. */
  bytes: number
  deployments: number
  /** When the total was last compared with the deployments. */
  checked_at: number
}

/** A deployment without a record, whose packs are still to be deleted. */
export interface DiscardedPackRow {
  deployment_id: string
  discarded_at: number
}

/** While there is a row, builds of pushes do not go live. */
export interface ProductionLockRow {
  project_id: string
  locked_at: number
  locked_by: string | null
}
