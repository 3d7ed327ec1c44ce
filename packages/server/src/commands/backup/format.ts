// What a backup file holds: a tar archive with a manifest as its first entry, then the files of the data directory.
import type { Settings } from '../../config.ts'
import { Fault } from '../../lib/fault.ts'

export const manifestName = 'svcd-backup.json'

export interface Manifest {
  format: 1
  svcd: string
  created_at: string
  /** The number of files after the manifest. A file that was cut off has fewer. */
  files: number
  /** False if the key comes from SVCD_SECRET_KEY. */
  has_key: boolean
}

/** The parts of the data directory that a backup holds. The database comes last, so that it exists only if all else does. */
export const parts = ['packs', 'git', 'secret.key', 'node-id', 'svc.db'] as const

/** Throws if the platform keeps its data outside of the data directory. */
export function requireOwnStorage({ databaseUrl, storageUrl }: Settings, verb: 'back up' | 'restore'): void {
  const outside = databaseUrl ? 'SVCD_DATABASE_URL' : storageUrl ? 'SVCD_STORAGE_URL' : undefined
  if (outside)
    throw new Fault(
      'invalid_request',
      `svcd can ${verb} only what is in its data directory, but ${outside} is set. Use the tools of that server, such as pg_dump, and copy the data directory.`,
    )
}
