// What a backup file holds: a tar archive with a manifest as its first entry, then the files of a data directory. The database
// is a SQLite file and each deployment is a file, wherever the platform keeps them. So a backup of a platform on PostgreSQL
// and S3 can be restored to one on SQLite and the local disk, and the other way round.
import { checkPackId } from '../../ports/packs/port.ts'

export const manifestName = 'svcd-backup.json'

/** The manifest is padded to this size, since it is written last and comes first. */
export const manifestBytes = 512

/** Where the archive goes on after the manifest and its header. */
export const afterManifest = 512 + manifestBytes

export interface Manifest {
  format: 1
  svcd: string
  created_at: string
  /** The number of files after the manifest. A file that was cut off has fewer. */
  files: number
  /** False if the key comes from SVCD_SECRET_KEY. */
  has_key: boolean
  /** The hash of all bytes after the manifest. Backups of older versions have none. */
  sha256?: string
}

export const isManifest = (value: unknown): value is Manifest => {
  const { format, svcd, created_at, files, has_key, sha256 } = (value ?? {}) as Partial<Manifest>
  return (
    format === 1 &&
    typeof svcd === 'string' &&
    typeof created_at === 'string' &&
    typeof files === 'number' &&
    typeof has_key === 'boolean' &&
    (sha256 === undefined || typeof sha256 === 'string')
  )
}

/** The parts of the data directory that a backup holds. The database comes last, so that it exists only if all else does. */
export const parts = ['packs', 'git', 'disks', 'databases', 'secret.key', 'node-id', 'svc.db'] as const

export const databaseName: (typeof parts)[number] = 'svc.db'

const packSuffix = '.pack'

export const packFile = (id: string): string => `packs/${id}${packSuffix}`

export const dumpFile = (database: string): string => `databases/${database}.dump`

const dumpPattern = /^databases\/svc_[a-z0-9]{8,40}\.dump$/

/** The id of the pack with this name in the archive. `undefined` for other files. */
export function packIdOf(name: string): string | undefined {
  if (!name.startsWith('packs/') || !name.endsWith(packSuffix)) return undefined
  const id = name.slice('packs/'.length, -packSuffix.length)
  try {
    checkPackId(id)
    return id
  } catch {
    return undefined
  }
}

/** The archive of a disk's snapshot, where svcd looks for it after a restore. */
export const diskFile = (diskId: string, snapshotId: string): string =>
  `disks/${diskId}/snapshots/${snapshotId}.tar`

const diskName = /^disks\/dsk_[a-z0-9]{16}\/snapshots\/snp_[a-z0-9]{16}\.tar$/

/** Whether a backup has a file of this name. Every other name is refused, so that no file is written elsewhere. */
export function belongs(name: string): boolean {
  const [part, second, ...rest] = name.split('/')
  if (name.includes('\0') || name.split('/').some(each => ['', '.', '..'].includes(each))) return false
  if (part === 'packs') return name === 'packs/owner' || packIdOf(name) !== undefined
  if (part === 'disks') return diskName.test(name)
  if (part === 'databases') return dumpPattern.test(name)
  if (part === 'git') return second !== undefined && rest.length > 0
  return second === undefined && (parts as readonly string[]).includes(part!)
}

/** What git needs of a repository. Everything else of it, such as its configuration and its hooks, could run programs. */
const repositoryFile =
  /^git\/rep_[a-z0-9]{16}\.git\/(?:HEAD|packed-refs|refs\/.+|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.(?:pack|idx|rev))$/

/** Whether a restore leaves the file out. Backups of older versions have more files of repositories than are needed. */
export const isLeftOut = (name: string): boolean => name.startsWith('git/') && !repositoryFile.test(name)
