// GitRepos: the bare repositories of the built-in forge, and the git operations that the platform needs.
import type { Readable } from 'node:stream'

export type GitService = 'upload-pack' | 'receive-pack'

export interface GitRequest {
  /** The client's `Git-Protocol` header, such as `version=2`. */
  protocol: string | undefined
  /** The request body. `undefined` if the client asks for the list of refs. */
  input: Readable | undefined
}

export interface GitAnswer {
  output: Readable
  /** Resolves when git has ended, with whether it succeeded. Never rejects. */
  done: Promise<boolean>
  /** Kills git. */
  abort(): void
}

export interface GitCommit {
  sha: string
  /** The first line is the subject. */
  message: string
  author: string
}

export interface GitRepos {
  /** Does nothing if the repository exists. */
  create(id: string): Promise<void>
  remove(id: string): Promise<void>
  /** The ids of all repositories. */
  list(): Promise<string[]>
  /** Bytes on disk. */
  size(id: string): Promise<number>
  /** Answers one request of git's smart HTTP protocol. */
  serve(id: string, service: GitService, request: GitRequest): GitAnswer
  /** The last commit of each branch. */
  heads(id: string): Promise<Map<string, string>>
  /** The branch that a clone checks out. It need not exist. */
  head(id: string): Promise<string>
  setHead(id: string, branch: string): Promise<void>
  /** `undefined` if there is no such commit. */
  commit(id: string, sha: string): Promise<GitCommit | undefined>
  /** Writes the files of a commit into an empty directory. Symbolic links stay symbolic links. */
  checkOut(id: string, sha: string, dir: string, signal: AbortSignal): Promise<void>
  /** Whether two commits differ in a directory. Returns true if a commit is missing. */
  differ(id: string, from: string, to: string, dir: string): Promise<boolean>
  /** The paths of the files that differ between two commits. `undefined` if a commit is missing. */
  changes(id: string, from: string, to: string): Promise<string[] | undefined>
  /** Those of the paths that are files of the commit. */
  present(id: string, sha: string, paths: readonly string[]): Promise<Set<string>>
  /** The text of a file. `undefined` if the commit has no such file. */
  read(id: string, sha: string, path: string): Promise<string | undefined>
  /** The paths of all files with this name that contain the text. */
  search(id: string, sha: string, name: string, text: string): Promise<string[]>
  /** Packs the many small files that pushes leave behind (`git gc`). */
  tidy(id: string): Promise<void>
}
