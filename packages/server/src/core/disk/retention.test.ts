import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { changeDisk, findDisk, insertDisk } from '../../store/disk/disks.ts'
import { lockProject } from '../../store/projects/projects.ts'
import { eventually } from '../../testing/eventually.ts'
import { addProject } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { discardUnneeded } from './retention.ts'

const days = 24 * 60 * 60_000

onEveryStore((store, another) => {
  async function addRemovedDisk(): Promise<{ id: string; project: string }> {
    const project = (await addProject(store())).id
    const id = `dsk_${project.slice(4)}`
    const unused = { used_bytes: null, measured_at: null, problem: null, task: null, seeded_at: null }
    await store().transact(tx =>
      insertDisk(tx, {
        ...{ id, project_id: project, branch: '', node_id: 'node', size_bytes: 1_000, path: '/data' },
        ...{ is_shared: 0, preview_data: 'empty', awaits_copy: 0, created_at: 1, removed_at: 1 },
        ...unused,
      }),
    )
    return { id, project }
  }

  it('a disk goes when its time after its removal is over', async () => {
    const { project } = await addRemovedDisk()
    await discardUnneeded(store(), 'node', 5 * days)
    expect(await findDisk(store().db, project, '')).toBeDefined()
    await discardUnneeded(store(), 'node', 8 * days)
    expect(await findDisk(store().db, project, '')).toBeUndefined()
  })

  it('a disk that is added again at that moment stays', async () => {
    const { id, project } = await addRemovedDisk()
    const other = await another()
    let discarding = Promise.resolve()
    await other.transact(async tx => {
      await lockProject(tx, project)
      await changeDisk(tx, id, { removed_at: null })
      discarding = discardUnneeded(store(), 'node', 8 * days)
      // SQLite has one writer at a time. PostgreSQL has read the disk by now, or waits to read it.
      if (store().engine === 'postgres') await eventually(() => isSomebodyWaiting(other.db))
    })
    await discarding
    expect(await findDisk(store().db, project, '')).toMatchObject({ removed_at: null })
  })
})

async function isSomebodyWaiting(db: Parameters<typeof findDisk>[0]): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}
