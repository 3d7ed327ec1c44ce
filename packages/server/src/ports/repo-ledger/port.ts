// What the database knows of repositories on the storage: their refs and their packs. A row decides which push came first.
import type { RefUpdate } from '../git-repos/port.ts'

/** One object of the storage: a pack of git, and its index after it. */
export interface StoredPack {
  /** The id of the object. */
  id: string
  /** The name that git gives it, without an ending. It is a checksum of the content. */
  name: string
  packBytes: number
  indexBytes: number
  /** Of the whole object. */
  sha256: string
}

export interface RepoVersion {
  /** Grows with every change. */
  version: number
  /** Grows when objects are removed. A push that began before could need one of them. */
  generation: number
}

export interface RepoState extends RepoVersion {
  /** The branch that a clone checks out. */
  head: string
  refs: ReadonlyMap<string, string>
  packs: readonly StoredPack[]
}

export interface LedgerPush {
  /** The copy of the repository that git compared the push with. */
  base: RepoVersion
  updates: readonly RefUpdate[]
  pack: StoredPack | undefined
}

export interface RepoLedger {
  /** Does nothing if the repository exists. The packs must have been announced. */
  create(id: string, state: Pick<RepoState, 'head' | 'refs' | 'packs'>): Promise<void>
  /** `undefined` if there is no such repository on the storage. */
  versionOf(id: string): Promise<RepoVersion | undefined>
  read(id: string): Promise<RepoState | undefined>
  /** All repositories that have a row, also those that are removed but for some objects. */
  ids(): Promise<string[]>
  /** Bytes of the packs. */
  size(id: string): Promise<number>
  refCount(id: string): Promise<number>
  setHead(id: string, branch: string): Promise<void>
  /** Called before an upload, so that an object whose upload was interrupted is found and removed. */
  announce(id: string, object: string): Promise<void>
  /** All of the push or nothing. Resolves with why it is refused, or with `undefined`. */
  push(id: string, push: LedgerPush): Promise<string | undefined>
  /**
   * Puts one pack in the place of others, or removes them. With `base`, the pack has only what refs lead to, and any change since then
   * prevents it. Returns whether that was done.
   */
  replacePacks(
    id: string,
    old: readonly StoredPack[],
    pack: StoredPack | undefined,
    base: RepoVersion | undefined,
  ): Promise<boolean>
  /** Objects of the repository that nothing needs any more. A node may read one for a while after it was replaced. */
  unused(id: string): Promise<string[]>
  forgetObject(object: string): Promise<void>
  /** Removes the repository. Its objects are unused then. */
  clear(id: string): Promise<void>
}
