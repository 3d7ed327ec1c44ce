// The disks of projects.

/** The disk of production, or of the previews of a branch. */
export interface DiskRow {
  id: string
  project_id: string
  /** Empty: production. */
  branch: string
  /** The node that has its files. Empty until an app has run with it. */
  node_id: string
  size_bytes: number
  /** Where the app finds it. */
  path: string
  /** 1: two instances may have it at a time. */
  is_shared: number
  /** As last measured. */
  used_bytes: number | null
  measured_at: number | null
  /** Why it cannot be used as it is. */
  problem: string | null
  /** What its node is asked to do with it: `snapshot`, or the id of the snapshot to restore. */
  task: string | null
  /** What the disks of previews begin with. Of production's alone. */
  preview_data: 'empty' | 'copy'
  /** 1: it has no files before a copy of production's is made. */
  awaits_copy: number
  /** When the seed command had succeeded on it. */
  seeded_at: number | null
  created_at: number
  /** Its files stay for a while after that. */
  removed_at: number | null
}

/** A copy of what a disk held. */
export interface DiskSnapshotRow {
  id: string
  disk_id: string
  /** `restore`: what a restore replaced. */
  reason: 'deploy' | 'daily' | 'manual' | 'restore'
  bytes: number
  created_at: number
}

/** A disk without a record, whose files are still to be deleted. */
export interface DiscardedDiskRow {
  id: string
  node_id: string
  discarded_at: number
}
