// A repository that a project is about to be connected to.
import type { GitHostKind } from '../../ports/git-hosts/port.ts'
import type { GitCommit } from '../../ports/git-repos/port.ts'
import type { Tx } from '../../store/store.ts'

export interface ChosenRepository {
  name: string
  repositoryId: string
  /** Null for the built-in forge and for other git hosts. */
  installationId: number | null
  host?: GitHostKind | 'public'
  defaultBranch: string
  /** The last commit of a branch, while the rows do not lead to it yet. */
  head?(branch: string): Promise<GitCommit | undefined>
  /** Saves the repository in the transaction that connects it. */
  save?(tx: Tx): Promise<void>
  /** Undoes at the host what was done there, if the repository is not connected after all. */
  discard?(): Promise<void>
}
