// Copies a SQLite database to another file as it is at one moment, while other processes go on writing to it.
import { openReader } from './open.ts'

/** `copy` must not exist. */
export function snapshotDatabase(file: string, copy: string): void {
  const connection = openReader(file)
  try {
    connection.prepare('vacuum into ?').run(copy)
  } finally {
    connection.close()
  }
}

/** The deployments in a copy of the database that must have files in the storage. */
export function storedIn(copy: string): string[] {
  const connection = openReader(copy)
  try {
    const rows = connection
      .prepare("select id from deployments where status in ('live', 'superseded', 'branch')")
      .all()
    return (rows as { id: string }[]).map(({ id }) => id)
  } finally {
    connection.close()
  }
}

/** The newest snapshot of each disk in a copy of the database. Empty for a database from before there were disks. */
export function diskSnapshotsIn(copy: string): { disk_id: string; id: string; node_id: string }[] {
  const connection = openReader(copy)
  try {
    const tables = connection.prepare("select 1 from sqlite_master where name = 'disk_snapshots'").all()
    if (tables.length === 0) return []
    const rows = connection
      .prepare(
        `select s.disk_id, s.id, d.node_id from disk_snapshots s join disks d on d.id = s.disk_id
         where not exists (select 1 from disk_snapshots newer where newer.disk_id = s.disk_id
           and (newer.created_at > s.created_at or (newer.created_at = s.created_at and newer.id > s.id)))`,
      )
      .all()
    return rows as { disk_id: string; id: string; node_id: string }[]
  } finally {
    connection.close()
  }
}
