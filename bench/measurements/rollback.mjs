// From sending "activate" until a visitor of the site sees the other deployment.
import { makeSite, pageOf } from '../sites.mjs'
import { quantile } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const times = 200

export async function measure({ dir }) {
  const svc = await startSvc()
  try {
    await svc.api('POST', '/projects', { name: 'rollbacks' })
    const sites = []
    for (const mark of ['a', 'b']) {
      const { tarball } = makeSite(dir, `rollback-${mark}`, { files: 10, mark })
      sites.push({ id: await svc.deploy('rollbacks', tarball), page: pageOf(mark) })
    }
    const latencies = []
    for (let i = 0; i < times; i++) latencies.push(await rollBack(svc, sites[i % 2]))
    return [
      { what: `rollback until it shows, p50 of ${times}`, unit: 'ms', svc: quantile(latencies, 0.5) },
      {
        what: `rollback until it shows, p99 of ${times}`,
        unit: 'ms',
        svc: quantile(latencies, 0.99),
        limit: 20,
      },
    ]
  } finally {
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
