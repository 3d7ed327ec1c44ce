// GitRepos: the bare repositories of the built-in forge, and the git operations that the platform needs.

import type { Readable } from 'node:stream'
import type { Submodule } from '../../lib/git/submodules.ts'

export type GitService = 'upload-pack' | 'receive-pack'

export interface GitRequest {
  /** The account that asks. The programs of one account are limited in number. */
  account: string
  /** The client's `Git-Protocol` header, such as `version=2`. */
  protocol: string | undefined
  /** The request body. `undefined` if the client asks for the list of refs. */
  body: KeptBody | undefined
  /** Aborted when the client leaves. Git ends then. */
  signal: AbortSignal
  /** The pace of the client in bytes per second, while git waits for it. The slowest client makes room when others wait. */
  pace?: () => number | undefined
  /** Called before a push changes a ref. Resolves with why the push is refused, or with `undefined`. */
  judge?: (push: IncomingPush) => Promise<string | undefined>
}

/** The body of a request, on disk. */
export interface KeptBody {
  file: string
  bytes: number
  remove(): Promise<void>
}

export interface RefUpdate {
  ref: string
  /** The id of the object before. `undefined` for a new ref. */
  from: string | undefined
  /** `undefined` for a ref that is deleted. */
  to: string | undefined
}

/** A push whose objects are there, but not yet part of the repository. */
export interface IncomingPush {
  updates: readonly RefUpdate[]
  /** Bytes of the objects that it brings. */
  bytes(): Promise<number>
  /** Bytes of all objects that the refs would lead to. */
  bytesAfter(): Promise<number>
  refsAfter(): Promise<number>
  /** Says which of the commits has too many files. `undefined` if none has. */
  tooManyPaths(commits: readonly string[]): Promise<string | undefined>
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
  /** Bytes on disk, of objects and refs. */
  size(id: string): Promise<number>
  /** Writes a request body to disk: git starts when all of it is there. Stops after `bytesAtMost`. */
  keep(body: AsyncIterable<Buffer>, bytesAtMost: number): Promise<KeptBody>
  /** Answers one request of git's smart HTTP protocol. Resolves with whether git succeeded, when it has ended. */
  serve(
    id: string,
    service: GitService,
    request: GitRequest,
    deliver: (output: Readable) => Promise<void>,
  ): Promise<boolean>
  /** The last commit of each branch. */
  heads(id: string): Promise<Map<string, string>>
  /** The branch that a clone checks out. It need not exist. */
  head(id: string): Promise<string>
  setHead(id: string, branch: string): Promise<void>
  /** `undefined` if there is no such commit. */
  commit(id: string, sha: string): Promise<GitCommit | undefined>
  /** Writes the files of a commit into an empty directory, and resolves with its submodules. Symbolic links stay symbolic links. */
  checkOut(id: string, sha: string, dir: string, signal: AbortSignal): Promise<Submodule[]>
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
  /**
   * Packs the many small files that pushes leave behind (`git gc`). With `dropUnused`, also removes at once what no ref leads
   * to, so that a full repository shrinks.
   */
  tidy(id: string, options?: { dropUnused?: boolean }): Promise<void>
}
