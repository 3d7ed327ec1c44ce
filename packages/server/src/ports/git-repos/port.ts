// GitRepos: the bare repositories of the built-in forge, and the few things that the platform does with git.
import type { Readable } from 'node:stream'

export type GitService = 'upload-pack' | 'receive-pack'

export interface GitRequest {
  /** The client's `Git-Protocol` header, such as `version=2`. */
  protocol: string | undefined
  /** `undefined` if the client asks what there is. */
  input: Readable | undefined
}

export interface GitAnswer {
  output: Readable
  /** Resolves when git is done, to whether it went well. Never rejects. */
  done: Promise<boolean>
  /** Ends git, whatever it does. */
  abort(): void
}

export interface GitCommit {
  sha: string
  /** The first line is the subject. */
  message: string
  author: string
}

export interface GitRepos {
  /** Does nothing where it is there already. */
  create(id: string): Promise<void>
  remove(id: string): Promise<void>
  /** The ids of all that are stored. */
  list(): Promise<string[]>
  /** Bytes on disk. */
  size(id: string): Promise<number>
  /** One request of git's smart protocol. */
  serve(id: string, service: GitService, request: GitRequest): GitAnswer
  /** The last commit of each branch. */
  heads(id: string): Promise<Map<string, string>>
  /** `undefined` if there is no such commit. */
  commit(id: string, sha: string): Promise<GitCommit | undefined>
  /** Writes the files of a commit into an empty directory; links stay links. */
  checkOut(id: string, sha: string, dir: string, signal: AbortSignal): Promise<void>
  /** Whether two commits differ in a directory. Returns true if that cannot be told. */
  differ(id: string, from: string, to: string, dir: string): Promise<boolean>
  /** Tidies what many small pushes leave behind. */
  tidy(id: string): Promise<void>
}
