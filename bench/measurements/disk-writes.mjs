// Transactions of SQLite on the disk of an app, beside the same program outside of svc on the same file system.
import { copyDataApp, startOutside } from '../data-apps.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const seconds = 3
/** An app has a share of the processor of its own, so on a busy machine only the second one compares. */
const units = [
  ['perSecond', 'transactions/s'],
  ['perCpuSecond', 'transactions per CPU second'],
]
const ways = [
  { what: 'SQLite on the disk, written to the log (WAL)', synchronous: 'normal' },
  { what: 'SQLite on the disk, each one synced', synchronous: 'full' },
]

export async function measure({ dir }) {
  const { root, tarball } = copyDataApp(dir)
  const svc = await startSvc({ oneCore: true })
  await svc.api('POST', '/projects', { name: 'disk-writes' })
  await svc.api('PUT', '/projects/disk-writes/disk', { size_bytes: 4 * 1024 ** 3 })
  await svc.deploy('disk-writes', tarball)
  // Beside the data directory, so that both write to one file system.
  const outside = await startOutside(root, `${svc.machine.dataDir}/outside`)
  try {
    const rows = []
    for (const { what, synchronous } of ways) {
      const path = `/write?seconds=${seconds}&synchronous=${synchronous}`
      const read = async answer => JSON.parse((await answer).body)
      const { inside, other } = await interleave(7, {
        inside: () => read(svc.visit('disk-writes', path)),
        other: () => read(outside.ask(path)),
      })
      const beside = { other: 'the same program outside', atLeast: 0.95 }
      for (const [key, unit] of units)
        rows.push({ what, unit, svc: inside[key], value: other[key], ...beside })
    }
    return rows
  } finally {
    await outside.stop()
    await svc.stop()
  }
}
