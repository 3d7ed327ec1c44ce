// The space on the disk that holds a directory.
import { statfs } from 'node:fs/promises'

export interface DiskSpace {
  /** Available to programs without root rights. */
  freeBytes: number
  totalBytes: number
}

/** What one kind of data takes. */
export interface DiskUse {
  kind: string
  bytes: number
}

export async function diskSpace(dir: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(dir)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
