// Measures what takes the space in the data directory. A large directory takes `du` a while, so the result is kept for some
// minutes, and a reader does not wait long for it.
import path from 'node:path'
import { minuteMs, secondMs } from '@svc/contract/durations'
import { diskUse } from '../builder/disk-use.ts'
import type { DataDirectory } from '../data-directory.ts'
import type { DiskUse } from '../lib/disk-space.ts'

const freshForMs = 5 * minuteMs
const patienceMs = 2 * secondMs

const pathsByKind = (data: DataDirectory): Record<string, string[]> => ({
  deployments: [data.packsDir, data.packCacheDir, data.s3UploadsDir],
  database: ['', '-wal', '-shm'].map(end => data.databaseFile + end),
  'server apps': [data.appsDir],
  'app logs': [data.appLogsDir],
  repositories: [data.reposDir],
  'build cache': [path.join(data.buildsDir, 'cache')],
})

export function measuredDiskUses(data: DataDirectory): () => Promise<DiskUse[] | undefined> {
  let last: { uses: DiskUse[]; at: number } | undefined
  let measuring: Promise<void> | undefined

  async function measure(): Promise<void> {
    const uses: DiskUse[] = []
    for (const [kind, paths] of Object.entries(pathsByKind(data)))
      uses.push({ kind, bytes: await diskUse(paths) })
    last = { uses, at: Date.now() }
    measuring = undefined
  }

  return async () => {
    if (last && Date.now() - last.at < freshForMs) return last.uses
    measuring ??= measure()
    const patience = new Promise<void>(resolve => setTimeout(resolve, patienceMs).unref())
    await Promise.race([measuring, patience])
    return last?.uses
  }
}
