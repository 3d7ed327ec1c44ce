// Git: repositories, the projects that build from them, builds and their logs.
import type { BuildStatus } from '@svc/contract'

export interface RepositoryRow {
  id: string
  /** Exactly one of account_id, org_id, github_id and host is set. None is, once the owner was deleted. */
  account_id: string | null
  org_id: string | null
  /** GitHub's id of the repository, which stays when it is renamed. Its `name` is `owner/name`. */
  github_id: number | null
  /** The software of another git host. The `name` of its repository is the URL. */
  host: GitHostRepositoryRow['kind'] | null
  name: string
  created_at: number
  /** 1 from before a push until its branches were compared with the rows below. */
  is_behind: number
  /** Who pushed last. */
  pushed_by: string | null
  /** Bytes on disk after the last push. Null if they were not measured yet, and for repositories at GitHub. */
  stored_bytes: number | null
}

/** A repository at GitLab, Gitea or Forgejo. */
export interface GitHostRepositoryRow {
  repository_id: string
  /** `public`: any git host, whose repository is read without a token. */
  kind: 'gitlab' | 'gitea' | 'public'
  /** Of the host, without the path of the repository. */
  base_url: string
  path: string
  /** The host's id of the webhook. */
  webhook_id: number | null
  /** The token and the secret of the webhook, which are empty for a public repository. */
  sealed: string
  key_id: string
}

/** A repository on the storage, which all nodes reach. */
export interface RepositoryStateRow {
  repository_id: string
  /** Grows with every change. */
  version: number
  /** Grows when objects are removed. */
  generation: number
  /** The branch that a clone checks out. */
  head: string
}

export interface RepositoryRefRow {
  repository_id: string
  ref: string
  sha: string
}

/** An object of the storage that holds a pack of git and its index. */
export interface RepositoryPackRow {
  id: string
  repository_id: string
  status: 'uploading' | 'live' | 'unused'
  /** When it got this status. */
  since: number
  name: string
  pack_bytes: number
  index_bytes: number
  sha256: string
}

/** The last commit of each branch for which builds were queued. */
export interface RepositoryBranchRow {
  repository_id: string
  branch: string
  commit_sha: string
}

/** What a project builds from, and how. */
export interface ProjectRepoRow {
  project_id: string
  /** `owner/name`. */
  repo: string
  repository_id: string | null
  /** Of the GitHub App; null for a repository of the built-in forge. */
  installation_id: number | null
  /** The software of another git host. Null for the built-in forge and for GitHub. */
  host: GitHostRepositoryRow['kind'] | null
  /** The production branch. */
  branch: string
  build_cmd: string | null
  install_cmd: string | null
  output_dir: string | null
  root_dir: string | null
  previews: number
  connected_by: string | null
  connected_at: number
}

export interface BuildRow {
  id: string
  project_id: string
  status: BuildStatus
  branch: string
  is_production: number
  commit_sha: string
  commit_message: string | null
  author: string | null
  deployment_id: string | null
  /** The account in whose name it is deployed. */
  requested_by: string | null
  created_at: number
  started_at: number | null
  finished_at: number | null
  error: string | null
  node_id: string | null
  lease_until: number | null
  /** How many builders have taken it. */
  attempts: number
  cancel_requested: number
  /** 1: the code is a stranger's, from a pull request of a fork. It gets no secrets. */
  from_fork: number
  /** 1: someone asked for this build. It goes live also while production is locked. 0: a push or a deploy hook caused it. */
  asked_for: number
  /** How often it was put back into the queue because the storage or the database failed. */
  retries: number
  /** While it waits after such a failure: no builder takes it before. */
  retry_at: number | null
}

/** A secret URL that builds a branch. */
export interface DeployHookRow {
  id: string
  project_id: string
  name: string
  branch: string
  secret_hash: string
  created_by: string | null
  created_at: number
  last_used_at: number | null
}

export interface BuildLogRow {
  build_id: string
  /** Of the first byte of `text` in the whole log. */
  at: number
  bytes: number
  text: string
  /** Null for what a version without times wrote. */
  written_at: number | null
}
