// The real svcd and a client for it.
import { createReadStream, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { Machine } from '../e2e/dist/svcd.js'
import { freePort } from './children.mjs'
import { onCore, serverCore } from './load.mjs'

/** Starts a fresh instance, on one core where asked to; `stop` removes its data too. */
export async function startSvc({ oneCore = false, settings = {} } = {}) {
  // Without the limits of plans.
  const machine = await Machine.make({ SVCD_BILLING: 'off', ...settings })
  if (oneCore) machine.prefix = onCore(serverCore)
  const svcd = await machine.start()
  const token = await machine.token('bench')
  const stop = async () => {
    await svcd.stop()
    await machine.remove()
  }
  return { machine, pid: svcd.child.pid, stop, ...clientOf(svcd.port, token) }
}

/** A fresh instance that also answers by TLS, at `tlsPort`. */
export async function startSecureSvc(domain, { cert, key }, { settings, ...options } = {}) {
  const tlsPort = await freePort()
  const svc = await startSvc({
    ...options,
    settings: {
      SVCD_PLATFORM_DOMAIN: domain,
      // So that svcd's line that it is ready names the port.
      SVCD_PUBLIC_SCHEME: 'http',
      SVCD_TLS_PORT: String(tlsPort),
      SVCD_TLS_CERT: cert,
      SVCD_TLS_KEY: key,
      ...settings,
    },
  })
  return { ...svc, tlsPort }
}

export function clientOf(port, token) {
  const agent = new Agent({ keepAlive: true })
  const url = `http://127.0.0.1:${port}`
  const authorization = `Bearer ${token}`

  async function api(method, path, body) {
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await send({ method, path, headers }, body && JSON.stringify(body))
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
    return JSON.parse(answer.body)
  }

  /** Sends the tarball as it is read from the disk. */
  async function deploy(project, tarball, query = '') {
    const path = `/projects/${project}/deployments${query}`
    const headers = {
      authorization,
      'content-type': 'application/gzip',
      'content-length': statSync(tarball).size,
    }
    // A connection of its own: one that idled while the tarball was made may be closing.
    const answer = await send({ method: 'POST', path, headers, agent: false }, createReadStream(tarball))
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.body}`)
    return JSON.parse(answer.body).deployment_id
  }

  async function visit(project, path = '/') {
    return await send({ method: 'GET', path, headers: { host: `${project}.localhost` } })
  }

  function send(options, body) {
    return new Promise((resolve, reject) => {
      const req = request({ host: '127.0.0.1', port, agent, ...options }, res => {
        const parts = []
        res.on('data', part => parts.push(part)).on('error', reject)
        res.on('end', () => resolve({ status: res.statusCode, body: Buffer.concat(parts) }))
      })
      req.on('error', reject)
      if (body?.pipe) body.pipe(req)
      else req.end(body)
    })
  }

  return { url, token, api, deploy, visit }
}
