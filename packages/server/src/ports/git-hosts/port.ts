// GitLab, and Gitea with its fork Forgejo: git hosts that a user connects with the URL of a repository and a token.

import type { Submodule } from '../../lib/git/submodules.ts'
import type { Secret } from '../../lib/secret.ts'
import type { GitCommit } from '../git-repos/port.ts'

export type GitHostKind = 'gitlab' | 'gitea'

export const gitHostNames: Record<GitHostKind, string> = { gitlab: 'GitLab', gitea: 'Gitea' }

/** A repository at a host, and the token that may use it. */
export interface HostedRepository {
  kind: GitHostKind
  /** Of the host, without the path of the repository. */
  baseUrl: string
  /** `owner/name`. At GitLab there may be groups before the name. */
  path: string
  token: Secret
}

/** Both take a token as the password, whatever the user name is. */
export const tokenUser = 'oauth2'

/** `missing`, `unauthorized` and `refused` last until a user changes something at the host. */
export type GitHostErrorKind = 'missing' | 'unauthorized' | 'refused' | 'limited' | 'unreachable'

export class GitHostError extends Error {
  override readonly name = 'GitHostError'
  readonly kind: GitHostErrorKind

  constructor(kind: GitHostErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

export interface CommitStatus {
  state: 'pending' | 'success' | 'failure' | 'error'
  context: string
  description: string
  targetUrl: string
}

/** A branch of a repository that anybody may read. */
interface PublicBranch {
  name: string
  /** `undefined` if there is no such branch. */
  commit: GitCommit | undefined
}

interface PublicCommit {
  /** Of the repository. */
  url: string
  sha: string
}

export interface WebhookRequest {
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export interface LargeFile {
  /** The SHA-256 of its content. */
  oid: string
  size: number
}

/** A repository whose files in Git LFS may be read. */
export interface LargeFileSource {
  /** For git. */
  url: string
  /** Not for public repositories. */
  credentials?: { user: string; token: Secret } | undefined
}

export interface GitHosts {
  /** Asks which software answers at a URL. `undefined` if it is neither. */
  kindOf(baseUrl: string): Promise<GitHostKind | undefined>
  /** The branch that a clone checks out. */
  defaultBranch(at: HostedRepository): Promise<string>
  /** Asks the host to send its pushes to a URL. Returns the host's id of the webhook. */
  addWebhook(at: HostedRepository, hook: { url: string; secret: string }): Promise<number>
  /** Does nothing if it is gone. */
  removeWebhook(at: HostedRepository, id: number): Promise<void>
  /** The last commit of a branch. `undefined` if there is no such branch. */
  head(at: HostedRepository, branch: string): Promise<GitCommit | undefined>
  setStatus(at: HostedRepository, sha: string, status: CommitStatus): Promise<void>
  /** Writes the files of a commit into an empty directory, and resolves with its submodules. */
  checkOut(at: HostedRepository, sha: string, dir: string, signal: AbortSignal): Promise<Submodule[]>
  /**
   * A branch of a repository that anybody may read, at any host: the named one, or the one that a clone checks out. Rejects with
   * `missing` if there is no repository, or not everybody may read it.
   */
  publicBranch(url: string, branch?: string): Promise<PublicBranch>
  /** Like `checkOut`, of a repository that anybody may read, at any host. `gitDir` is for the repository, while this runs. */
  checkOutPublic(at: PublicCommit, dir: string, gitDir: string, signal: AbortSignal): Promise<Submodule[]>
  /**
   * Writes files in Git LFS of any repository below `folder`, named by their checksums. Resolves with the reason for each one
   * that is missing.
   */
  downloadLargeFiles(
    from: LargeFileSource,
    files: readonly LargeFile[],
    folder: string,
    signal: AbortSignal,
  ): Promise<Map<string, string>>
  /** Whether a request to a webhook was sent by somebody who has its secret. */
  isSigned(kind: GitHostKind, request: WebhookRequest, secret: string): boolean
  /** Aborts all pending requests, so that the program can stop. */
  endRequests(): void
}
