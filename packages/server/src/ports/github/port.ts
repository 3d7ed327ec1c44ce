// GitHub, as a GitHub App uses it: sign-in, installations, commits, and what is told about builds.
import type { Secret } from '../../lib/secret.ts'
import type { GitCommit } from '../git-repos/port.ts'

/** A GitHub App, as GitHub's page of the App names its parts. */
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

/** What went wrong at GitHub. `retryAt`: when it makes sense to try again, in ms since the epoch. */
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

/** `missing` and `refused` stay as they are until somebody changes something at GitHub; the others pass by themselves. */
export type GitHubErrorKind = 'missing' | 'refused' | 'suspended' | 'unauthorized' | 'limited' | 'unreachable'

export interface GitHubUser {
  /** Stays the same when the login changes. */
  id: number
  login: string
  email: string | null
}

/** Speaks for a user, within what the App may do. */
export interface UserToken {
  token: string
  /** In ms since the epoch; null: never. */
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
  /** Whether the user whose token asked may push. */
  mayPush: boolean
}

/** A repository as the App reaches it. */
export interface RepositoryAt {
  installationId: number
  /** Tokens are made for this repository alone, so that a name that means another one by now opens nothing. */
  repositoryId: number
  fullName: string
}

export interface GitHubPull {
  number: number
  isOpen: boolean
  sha: string
  /** The name of the branch in the repository that it is in. */
  branch: string
  /** `owner:branch`. */
  label: string
  /** Whether the branch is in another repository: somebody else's code. */
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
  /** The build, by which the deployment is found again. */
  buildId: string
}

export interface DeploymentStatus {
  state: 'queued' | 'in_progress' | 'success' | 'failure' | 'error'
  description: string
  logUrl: string
  environmentUrl: string | undefined
}

export interface GitHub {
  /** Where the App is installed on one more account. */
  readonly installUrl: string
  avatarUrl(login: string): string
  /** Where pictures of users may come from, for the content security policy. */
  readonly imageOrigins: readonly string[]
  /** Ends what waits for an answer of GitHub, so that the program can stop. */
  endRequests(): void
  /** Returns what the App is called. Throws with what is wrong with its settings, here or at GitHub. */
  check(): Promise<string>
  /** Whether GitHub sent this body. */
  isSignedByGitHub(body: Buffer, signature: string): Promise<boolean>

  startDeviceLogin(): Promise<DeviceCode>
  pollDeviceLogin(deviceCode: string): Promise<DevicePoll>
  /** `undefined` if the refresh token is no longer good. */
  refreshUserToken(refreshToken: string): Promise<UserToken | undefined>
  userBehind(token: string): Promise<GitHubUser>

  /** The installations that a user can see; of each, the repositories that they can see. */
  installationsFor(token: string): Promise<GitHubInstallation[]>
  repositoriesFor(token: string, installationId: number): Promise<GitHubRepository[]>
  /** `undefined` if there is none, or this user cannot see it. */
  repositoryFor(token: string, fullName: string): Promise<GitHubRepository | undefined>
  /** The installation that covers a repository. `undefined` if the App has no access to it. */
  installationOn(fullName: string): Promise<GitHubInstallation | undefined>

  /** The last commit of a branch. `undefined` if there is no such branch. */
  head(at: RepositoryAt, branch: string): Promise<GitCommit | undefined>
  commit(at: RepositoryAt, sha: string): Promise<GitCommit | undefined>
  /** As it is now, whatever an event said. */
  pull(at: RepositoryAt, number: number): Promise<GitHubPull | undefined>
  /** What names the content of a folder in a commit. `undefined` if there is no such folder. */
  treeOf(at: RepositoryAt, sha: string, folder: string): Promise<string | undefined>
  /** Writes the files of a commit into an empty directory. The token is gone when this resolves. */
  checkOut(at: RepositoryAt, sha: string, dir: string, signal: AbortSignal): Promise<void>

  setStatus(at: RepositoryAt, sha: string, status: CommitStatus): Promise<void>
  /** Finds the deployment of the build where an earlier try has made it. */
  createDeployment(at: RepositoryAt, deployment: NewDeployment): Promise<number>
  setDeploymentStatus(at: RepositoryAt, id: number, status: DeploymentStatus): Promise<void>
  /** The App's own comment on a pull request whose body holds the marker. */
  findComment(at: RepositoryAt, pull: number, marker: string): Promise<number | undefined>
  createComment(at: RepositoryAt, pull: number, body: string): Promise<number>
  /** Returns false if the comment was deleted. */
  editComment(at: RepositoryAt, id: number, body: string): Promise<boolean>
}
