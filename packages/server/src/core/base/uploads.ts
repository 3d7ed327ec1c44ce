// What threads do with uploads for the rules of deployments.
import type { Readable } from 'node:stream'
import type { DetectedServer, NodeRequest } from '@svc/contract/project'

/** The facts about an archive that the record of its deployment stores. */
export interface Unpacked {
  fileCount: number
  /** Sum of the stored files' sizes. */
  sizeBytes: number
  /** Invalid lines of `_redirects` and `_headers`, and an invalid start command. */
  warnings: string[]
  /** How it starts. `undefined` if it is static. */
  app?: DetectedServer | undefined
  /** The Node that the files of a server ask for. */
  node?: NodeRequest | undefined
}

/** The upload broke off. The files that arrived completely are kept in a pack, so that the client can continue. */
export interface BrokenOff {
  keptFiles: number
  keptBytes: number
}

/** The function that core calls. A separate thread does the work. */
export type Unpack = (
  id: string,
  body: Readable,
  /** The account that uploads. Uploads of different accounts take turns. */
  owner: string,
  /** The packs that have the files which the upload leaves out. */
  sources?: readonly string[],
) => Promise<Unpacked | BrokenOff>

/** The function that core calls to find the hashes that no pack has. A separate thread does the work. */
export type FindMissing = (hashes: readonly string[], sources: readonly string[]) => Promise<string[]>
