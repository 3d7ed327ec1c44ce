// Server apps to measure with: deployed on svc, or started by hand as a person would.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './children.mjs'
import { onCore, serverCore } from './load.mjs'
import { packSite } from './sites.mjs'

/**
 * Answers `/` at once, `/page` after some work, about as much as rendering a small page takes, and `/stream` with 16 pieces of 16 KB, as
 * fast as it may. It answers a POST when it has read the body.
 */
const program = `
const { createHash } = require('node:crypto')
const body = 'x'.repeat(4096)
const piece = Buffer.alloc(16384, 'y')
function stream(res, left) {
  while (left-- > 0) if (!res.write(piece)) return void res.once('drain', () => stream(res, left))
  res.end()
}
require('node:http').createServer((req, res) => {
  if (req.url === '/stream') {
    res.setHeader('content-type', 'application/octet-stream')
    return stream(res, 16)
  }
  if (req.method === 'POST') return void req.resume().on('end', () => res.end('read'))
  let digest = ''
  if (req.url === '/page') for (let i = 0; i < 400; i++) digest = createHash('sha256').update(digest + body).digest('hex')
  res.setHeader('content-type', 'text/html')
  res.end(digest + body)
}).listen(process.env.PORT, process.env.HOSTNAME)
`

/** A folder with the app, and its tarball. */
export function makeApp(dir) {
  const root = join(dir, 'app')
  mkdirSync(root)
  writeFileSync(join(root, 'app.cjs'), program)
  writeFileSync(join(root, 'Procfile'), 'web: node app.cjs\n')
  return { root, tarball: packSite(root) }
}

/** Starts it by hand; resolves when it answered for the first time. */
export async function startByHand(root) {
  const port = await freePort()
  const [command, ...args] = [...onCore(serverCore), process.execPath, join(root, 'app.cjs')]
  const env = { ...process.env, PORT: String(port), HOSTNAME: '127.0.0.1', NODE_ENV: 'production' }
  const child = spawn(command, args, { stdio: 'ignore', env })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  while ((await ask(url)) === undefined) await sleep(2)
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { url, pid: child.pid, stop }
}

/** The status; undefined where nobody listens yet. */
export function ask(url, headers = {}) {
  return new Promise(resolve => {
    const req = request(url, { headers, agent: false }, res => {
      res.resume().on('end', () => resolve(res.statusCode))
    })
    req.on('error', () => resolve(undefined))
    req.end()
  })
}
