import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { insertDisk } from '../store/disk/disks.ts'
import { addProject } from '../testing/rows.ts'
import { onEveryStore } from '../testing/stores.ts'
import { DiskSizes } from './disk-sizes.ts'

const MB = 1024 ** 2
let now: number

beforeEach(() => {
  now = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.restoreAllMocks()
})

onEveryStore(store => {
  /** A disk of 100 MB on a file system on which others free as much space as its app takes. */
  async function maskedDisk({ tookMs }: { tookMs: number }) {
    const project = (await addProject(store())).id
    const id = `dsk_${project.slice(4)}`
    const unused = { used_bytes: null, measured_at: null, problem: null, task: null, seeded_at: null }
    await store().transact(tx =>
      insertDisk(tx, {
        ...{ id, project_id: project, branch: '', node_id: 'node', size_bytes: 100 * MB, path: '/data' },
        ...{ is_shared: 0, preview_data: 'empty', awaits_copy: 0, created_at: 1, removed_at: null },
        ...unused,
      }),
    )
    let isFull = false
    const disks = {
      freeBytes: async () => 10_000 * MB,
      async measure() {
        now += tookMs
        return { usedBytes: isFull ? 200 * MB : MB, unlinkedBytes: 0 }
      },
    }
    const sizes = new DiskSizes({ store: store(), disks: disks as never, clock: Date }, error => {
      throw error
    })
    let hasEnded = false
    return {
      fill: () => (isFull = true),
      async endsAfter(ms: number) {
        now += ms
        await sizes.look(new Map([[id, () => (hasEnded = true)]]))
        await sizes.close()
        return hasEnded
      },
    }
  }

  it('a disk that grows while others free space is measured after 10 seconds', async () => {
    const disk = await maskedDisk({ tookMs: 5 })
    expect(await disk.endsAfter(0)).toBe(false)
    disk.fill()
    expect(await disk.endsAfter(9_000)).toBe(false)
    expect(await disk.endsAfter(1_000)).toBe(true)
  })

  it('a large disk is measured for a twentieth of the time, but once a minute', async () => {
    const large = await maskedDisk({ tookMs: 1_500 })
    await large.endsAfter(0)
    large.fill()
    expect(await large.endsAfter(29_000)).toBe(false)
    expect(await large.endsAfter(1_000)).toBe(true)
    const huge = await maskedDisk({ tookMs: 20_000 })
    await huge.endsAfter(0)
    huge.fill()
    expect(await huge.endsAfter(59_000)).toBe(false)
    expect(await huge.endsAfter(1_000)).toBe(true)
  })
})
