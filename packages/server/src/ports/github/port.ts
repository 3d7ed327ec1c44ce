// GitHub for the platform's GitHub App: sign-in, installations, commits, and reports about builds.
import type { Submodule } from '../../lib/git/submodules.ts'
import type { Secret } from '../../lib/secret.ts'
import type { GitCommit } from '../git-repos/port.ts'

/** The settings of a GitHub App, with the names that GitHub's page of the App uses. */
/** What GitHub hands out for an App that it has just made. */
export interface GitHubAppKeys {
  appId: string
  slug: string
  clientId: string
  clientSecret: string
  webhookSecret: string
  privateKey: string
  /** Where its owner changes the App. */
  page: string
}

export interface GitHubApp {
  appId: string
  slug: string
  clientId: string
  clientSecret: Secret | undefined
  privateKey: Secret
  webhookSecret: Secret
  url: string
  apiUrl: string
}

/** A request to GitHub failed. `retryAt` is when to try again, in ms since the epoch. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError'
  readonly kind: GitHubErrorKind
  readonly retryAt: number | undefined

  constructor(kind: GitHubErrorKind, message: string, retryAt?: number) {
    super(message)
    this.kind = kind
    this.retryAt = retryAt
  }
}

/** `missing` and `refused` last until a user changes something at GitHub. The others are temporary. */
export type GitHubErrorKind = 'missing' | 'refused' | 'suspended' | 'unauthorized' | 'limited' | 'unreachable'

export interface GitHubUser {
  /** The id stays the same when the login changes. */
  id: number
  login: string
  email: string | null
}

/** A token that acts for a user, within the permissions of the App. */
export interface UserToken {
  token: string
  /** In ms since the epoch. Null if the token does not expire. */
  expiresAt: number | null
  refreshToken: string | null
}

interface DeviceCode {
  deviceCode: string
  userCode: string
  verificationUri: string
  expiresIn: number
  interval: number
}

export type DevicePoll =
  | { state: 'approved'; token: UserToken }
  | { state: 'waiting' | 'denied' | 'expired' }
  | { state: 'too fast'; interval: number }

export interface GitHubInstallation {
  id: number
  /** The user or organization that the App is installed on. */
  account: string
  isSuspended: boolean
}

export interface GitHubRepository {
  id: number
  fullName: string
  isPrivate: boolean
  defaultBranch: string
  /** Whether the user of the token may push. */
  mayPush: boolean
}

export interface RepositoryInstallation {
  installationId: number
  /** Tokens are limited to this id. If another repository has the name by now, they give no access to it. */
  repositoryId: number
}

/** A repository to which the App has access. */
export interface RepositoryAt extends RepositoryInstallation {
  fullName: string
}

export interface GitHubPull {
  number: number
  isOpen: boolean
  sha: string
  /** The name of the branch in its own repository, which may be a fork. */
  branch: string
  /** `owner:branch`, or `owner/name:branch` of a fork that has another name. An owner may have several forks. */
  label: string
  /** Whether the branch is in another repository, so that a stranger may have written its code. */
  isFork: boolean
}

export interface CommitStatus {
  state: 'pending' | 'success' | 'failure' | 'error'
  context: string
  description: string
  targetUrl: string
}

interface NewDeployment {
  sha: string
  environment: string
  isProduction: boolean
  description: string
  /** The id of the build, which identifies the deployment in a retry. */
  buildId: string
}

export interface DeploymentStatus {
  state: 'queued' | 'in_progress' | 'success' | 'failure' | 'error'
  description: string
  logUrl: string
  environmentUrl: string | undefined
}

export interface GitHub {
  /** The URL where a user installs the App on another account. */
  readonly installUrl: string
  avatarUrl(login: string): string
  /** The origins of users' pictures, for the content security policy. */
  readonly imageOrigins: readonly string[]
  /** Aborts all pending requests, so that the program can stop. */
  endRequests(): void
  /** Returns the name of the App. Throws with what is wrong with its settings, in svcd or at GitHub. */
  check(): Promise<string>
  /** Whether the signature proves that GitHub sent this body. */
  isSignedByGitHub(body: Buffer, signature: string): Promise<boolean>

  startDeviceLogin(): Promise<DeviceCode>
  pollDeviceLogin(deviceCode: string): Promise<DevicePoll>
  /** `undefined` if the refresh token is no longer valid. */
  refreshUserToken(refreshToken: string): Promise<UserToken | undefined>
  userBehind(token: string): Promise<GitHubUser>

  /** The installations that the user can see, and below the repositories of one that the user can see. */
  installationsFor(token: string): Promise<GitHubInstallation[]>
  repositoriesFor(token: string, installationId: number): Promise<GitHubRepository[]>
  /** `undefined` if there is no such repository, or the user cannot see it. */
  repositoryFor(token: string, fullName: string): Promise<GitHubRepository | undefined>
  /** The installation that covers a repository. `undefined` if the App has no access to it. */
  installationOn(fullName: string): Promise<GitHubInstallation | undefined>

  /** The current state of an installation. `undefined` if it was deleted. */
  installation(id: number): Promise<GitHubInstallation | undefined>
  /** The repository with its current name. `undefined` if it was deleted, or if the installation does not cover it. */
  repositoryIn(at: RepositoryInstallation): Promise<GitHubRepository | undefined>

  /** The last commit of a branch. `undefined` if there is no such branch. */
  head(at: RepositoryAt, branch: string): Promise<GitCommit | undefined>
  commit(at: RepositoryAt, sha: string): Promise<GitCommit | undefined>
  /** The current state of the pull request, which may be newer than an event. */
  pull(at: RepositoryAt, number: number): Promise<GitHubPull | undefined>
  /** The git tree id of a folder in a commit. `undefined` if there is no such folder. */
  treeOf(at: RepositoryAt, sha: string, folder: string): Promise<string | undefined>
  /**
   * Writes the files of a commit into an empty directory, and resolves with its submodules. No process or file has the token
   * then.
   */
  checkOut(at: RepositoryAt, sha: string, dir: string, signal: AbortSignal): Promise<Submodule[]>
  /** For git, without a token. */
  cloneUrl(at: RepositoryAt): string
  /** A token that reads the repository alone, for an hour. */
  readCredentials(at: RepositoryAt): Promise<{ user: string; token: Secret }>

  setStatus(at: RepositoryAt, sha: string, status: CommitStatus): Promise<void>
  /** Returns the id of the build's deployment. Does not create a second one if an earlier attempt has created it. */
  createDeployment(at: RepositoryAt, deployment: NewDeployment): Promise<number>
  setDeploymentStatus(at: RepositoryAt, id: number, status: DeploymentStatus): Promise<void>
  /** The id of the App's own comment on the pull request whose body contains the marker. */
  findComment(at: RepositoryAt, pull: number, marker: string): Promise<number | undefined>
  createComment(at: RepositoryAt, pull: number, body: string): Promise<number>
  /** Returns false if the comment was deleted. */
  editComment(at: RepositoryAt, id: number, body: string): Promise<boolean>
}
