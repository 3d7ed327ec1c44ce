// From a visitor's request to a sleeping app until its answer, beside starting the app by hand until its first answer.
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, makeApp, startByHand } from '../apps.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

export async function measure({ dir }) {
  const { root, tarball } = makeApp(dir)
  const svc = await startSvc({ oneCore: true, settings: { SVCD_IDLE_SECONDS: '1', SVCD_READY_APPS: '0' } })
  try {
    await svc.api('POST', '/projects', { name: 'cold-start' })
    await svc.deploy('cold-start', tarball)
    const times = await interleave(7, {
      async svc() {
        while ((await svc.api('GET', '/projects/cold-start/logs')).state !== 'stopped') await sleep(50)
        return await timed(() => ask(svc.url, { host: 'cold-start.localhost' }))
      },
      byHand: () => timed(() => startByHand(root)),
    })
    const by = { other: 'by hand', value: times.byHand }
    return [{ what: 'cold start of a server app', unit: 'ms', svc: times.svc, ...by, atMost: 1.3 }]
  } finally {
    await svc.stop()
  }
}

async function timed(run) {
  const began = performance.now()
  const result = await run()
  const took = performance.now() - began
  await result?.stop?.()
  return took
}
