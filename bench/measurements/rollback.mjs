// From sending "activate" until a visitor of the site sees the other deployment, beside one synced write of 4 KB to the
// same disk: a rollback that is not on the disk when it is acknowledged could be lost.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { KB, makeSite, pageOf } from '../sites.mjs'
import { quantile } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const times = 500
/**
 * The first seconds run code that was never run before, the first batch of analytics included; as in the other
 * measurements they do not count.
 */
const warmUpMs = 5_000

export async function measure({ dir }) {
  const svc = await startSvc()
  const file = openSync(join(dir, 'synced'), 'w')
  try {
    await svc.api('POST', '/projects', { name: 'rollbacks' })
    const sites = []
    for (const mark of ['a', 'b']) {
      const { tarball } = makeSite(dir, `rollback-${mark}`, { files: 10, mark })
      sites.push({ id: await svc.deploy('rollbacks', tarball), page: pageOf(mark) })
    }
    const taken = { svc: [], sync: [] }
    const warm = performance.now() + warmUpMs
    for (let i = 0; i % 2 === 1 || performance.now() < warm; i++) await rollBack(svc, sites[i % 2])
    for (let i = 0; i < times; i++) {
      taken.svc.push(await rollBack(svc, sites[i % 2]))
      taken.sync.push(writeSynced(file))
    }
    return [
      { share: 0.5, name: 'p50' },
      { share: 0.99, name: 'p99', limit: 20 },
    ].map(({ share, name, limit }) => ({
      what: `rollback until it shows, ${name} of ${times}`,
      unit: 'ms',
      svc: quantile(taken.svc, share),
      other: 'one synced write',
      value: quantile(taken.sync, share),
      limit,
    }))
  } finally {
    closeSync(file)
    await svc.stop()
  }
}

async function rollBack(svc, { id, page }) {
  const began = performance.now()
  const answered = svc.api('POST', `/projects/rollbacks/deployments/${id}/activate`)
  while (!(await svc.visit('rollbacks')).body.equals(page));
  const took = performance.now() - began
  await answered
  return took
}

function writeSynced(file) {
  const began = performance.now()
  writeSync(file, Buffer.alloc(4 * KB))
  fdatasyncSync(file)
  return performance.now() - began
}
