// An authenticated call of the API from one core, beside a bare Fastify server that answers the same object.
import { startFastify } from '../children.mjs'
import { load, ratesOf } from '../load.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

export async function measure() {
  const svc = await startSvc({ oneCore: true })
  const fastify = await startFastify(await svc.api('GET', '/me'))
  try {
    const headers = { Authorization: `Bearer ${svc.token}` }
    const against = server => () => load(server, '/me', { headers })
    const rates = await interleave(7, { svc: against(svc), fastify: against(fastify) })
    return ratesOf('GET /me, one core', rates.svc, 'bare Fastify', rates.fastify, 0.5)
  } finally {
    await Promise.all([svc.stop(), fastify.stop()])
  }
}
