// The disks of server apps: directories that stay when an instance ends. What is in them is written by strangers.
import type { Readable } from 'node:stream'

export interface DiskMeasure {
  /** At least 4 KB for each file. */
  usedBytes: number
  /** What deleted files take that an app still has open. */
  unlinkedBytes: number
}

export interface AppDisks {
  /**
   * The directory that an app writes to. Makes it if it is missing, of the newest snapshot if there is one. `owner` is the user
   * of the app, if it has one.
   */
  prepare(id: string, owner: number | undefined, newest?: string): Promise<string>
  /** Copies what the disk holds. No app may write meanwhile. Returns the size of the copy. */
  snapshot(id: string, snapshotId: string): Promise<number>
  /** Replaces what the disk holds by a copy of the snapshot. No app may write meanwhile. */
  restore(id: string, snapshotId: string): Promise<void>
  /** Fills a new disk with a snapshot of another one, which stays. No app may write to the new one meanwhile. */
  copy(id: string, from: { id: string; snapshotId: string }): Promise<void>
  /** Removes all snapshots of the disk but these. */
  keepSnapshots(id: string, snapshotIds: readonly string[]): Promise<void>
  /** The snapshot as a tar archive. */
  download(id: string, snapshotId: string): Promise<Readable>
  /** Writes the tar archive of a snapshot to a file. Returns false if there is no such snapshot. */
  archive(id: string, snapshotId: string, file: string): Promise<boolean>
  /** What it takes of the file system. */
  measure(id: string): Promise<DiskMeasure>
  /** The space that is free on its file system. */
  freeBytes(): Promise<number>
  /** Removes a disk with all it holds. Does nothing if there is none. */
  remove(id: string): Promise<void>
}
