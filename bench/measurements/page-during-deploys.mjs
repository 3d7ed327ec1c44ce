// What visitors of a hot page feel while deploys of 10,000 files run back to back: p99 beside the p99 at rest.
import { load } from '../load.mjs'
import { MB, makeSite } from '../sites.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

export async function measure({ dir }) {
  const { tarball } = makeSite(dir, 'busy', { files: 10_000, total: 100 * MB })
  const svc = await startSvc()
  try {
    for (const name of ['calm', 'busy']) await svc.api('POST', '/projects', { name })
    await svc.deploy('calm', makeSite(dir, 'calm', { files: 1 }).tarball)
    const headers = { Host: 'calm.localhost' }
    const p99 = async () => (await load(svc, '/', { connections: 16, seconds: 8, headers })).p99
    const busily = async () => {
      const deploys = deployOnAndOn(svc, tarball)
      const latency = await p99()
      await deploys.stop()
      return latency
    }
    const time = await interleave(5, { rest: p99, busy: busily })
    return [
      {
        what: 'hot page p99 during deploys',
        unit: 'ms',
        svc: time.busy,
        other: 'its p99 at rest',
        value: time.rest,
        atMost: 5,
      },
    ]
  } finally {
    await svc.stop()
  }
}

function deployOnAndOn(svc, tarball) {
  let on = true
  const done = (async () => {
    while (on) await svc.deploy('busy', tarball)
  })()
  return {
    stop: () => {
      on = false
      return done
    },
  }
}
