// The rules of deploy/balancers, with the real programs, before two nodes under load, one of which ends. Hosts and ports are replaced.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import path from 'node:path'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { freePort } from '@svc/server/dist/testing/free-ports.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { S3Server } from '@svc/server/dist/testing/s3-server.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { http1, Load } from './load.ts'
import { Machine } from './svcd.ts'

type Tool = 'nginx' | 'caddy' | 'haproxy'
interface Tools {
  findTool(name: Tool): string | undefined
}
const { findTool }: Tools = await import(new URL('../../scripts/tools.mjs', import.meta.url).href)

const domain = 'balanced.test'

interface Balancer {
  tool: Tool
  file: string
  /** What the file needs to run beside others on this machine. */
  adapt(text: string, place: { dir: string; port: number }): string
  args(file: string): string[]
}

const balancers: Balancer[] = [
  {
    tool: 'nginx',
    file: 'nginx.conf',
    adapt: (text, { dir, port }) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map(name => `${name}_temp_path ${dir}/${name};`)
        .join(' ')
      const own = `daemon off; pid ${dir}/nginx.pid; error_log ${dir}/error.log;`
      return `${own}\n${text
        .replace('http {', `http { access_log off; ${temporary}`)
        .replace('listen 80', `listen 127.0.0.1:${port}`)}`
    },
    args: file => ['-c', file, '-e', `${path.dirname(file)}/error.log`],
  },
  {
    tool: 'caddy',
    file: 'Caddyfile',
    adapt: (text, { port }) => text.replace('http://:80', `http://:${port}`),
    args: file => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  {
    tool: 'haproxy',
    file: 'haproxy.cfg',
    adapt: (text, { port }) => text.replace('bind :80', `bind 127.0.0.1:${port}`),
    args: file => ['-db', '-f', file],
  },
]

async function startTwoNodes() {
  const [database, s3] = [await freshPostgres(), await S3Server.start()]
  const ends: (() => Promise<unknown>)[] = [database.drop, () => s3.stop()]
  onTestFinished(async () => {
    for (const end of ends) await end()
  })
  const settings = {
    SVCD_DATABASE_URL: database.url,
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    SVCD_PLATFORM_DOMAIN: domain,
    SVCD_TRUST_PROXY: '127.0.0.1',
    SVCD_LOG_LEVEL: 'error',
  }
  const startNode = async () => {
    const port = await freePort()
    const machine = await Machine.make({ ...settings, SVCD_PORT: String(port) })
    ends.unshift(() => machine.remove())
    const svcd = await machine.start()
    ends.unshift(() => svcd.stop('SIGKILL'))
    return { machine, svcd, port }
  }
  return [await startNode(), await startNode()] as const
}

/** Returns the port of the balancer. */
async function startBalancer({ tool, file, adapt, args }: Balancer, dir: string, nodes: readonly number[]) {
  const port = await freePort()
  const text = adapt(await readFile(new URL(`../../deploy/balancers/${file}`, import.meta.url), 'utf8'), {
    dir,
    port,
  })
  const own = path.join(dir, file)
  await writeFile(
    own,
    text
      .replaceAll('example.com', domain)
      .replaceAll('10.0.0.1:8080', `127.0.0.1:${nodes[0]}`)
      .replaceAll('10.0.0.2:8080', `127.0.0.1:${nodes[1]}`),
  )
  const env = { PATH: process.env.PATH ?? '', HOME: dir, XDG_CONFIG_HOME: dir, XDG_DATA_HOME: dir }
  const balancer = spawn(findTool(tool)!, args(own), { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  balancer.stderr.setEncoding('utf8').on('data', part => {
    said = (said + part).slice(-2_000)
  })
  onTestFinished(async () => {
    balancer.kill('SIGTERM')
    if (balancer.exitCode === null && balancer.signalCode === null) await once(balancer, 'exit')
  })
  await eventually(
    async () => {
      if (balancer.exitCode !== null) return { ended: said }
      return { status: await send(port, { host: `api.${domain}`, path: '/health/ready', token: '' }) }
    },
    ({ ended, status }) => ended !== undefined || status === 200,
  ).then(({ ended }) => expect(ended).toBeUndefined())
  return port
}

interface Asked {
  host: string
  path: string
  method?: string
  token: string
  body?: Buffer | string
}

/** One request on a connection of its own. */
const send = (port: number, { host, path, method = 'GET', token, body }: Asked) =>
  new Promise<number>((resolve, reject) => {
    const type = Buffer.isBuffer(body) ? 'application/gzip' : 'application/json'
    const headers = { host, authorization: `Bearer ${token}`, 'content-type': type }
    request({ host: '127.0.0.1', port, path, method, headers, agent: false }, res => {
      res.resume().on('error', reject)
      res.on('end', () => resolve(res.statusCode ?? 0))
    })
      .on('error', reject)
      .end(body)
  })

for (const { tool } of balancers)
  if (!findTool(tool))
    console.warn(`${tool} is not installed, so its rules in deploy/balancers are not tested.`)

describe.each(balancers)('$tool before two nodes', balancer => {
  const check = test.runIf(findTool(balancer.tool) !== undefined)

  async function underLoad() {
    const nodes = await startTwoNodes()
    const token = await nodes[0].machine.token('ada')
    const ports = nodes.map(node => node.port)
    const port = await startBalancer(balancer, nodes[0].machine.dataDir, ports)
    const api = { host: `api.${domain}`, token }
    const project = { ...api, path: '/projects', method: 'POST', body: '{"name":"shop"}' }
    expect(await send(port, project)).toBe(201)
    const deployment = { ...api, path: '/projects/shop/deployments', method: 'POST' }
    expect(await send(port, { ...deployment, body: archiveOf({ 'index.html': 'hello' }) })).toBe(201)
    const site = { host: `shop.${domain}`, port }
    const visitors = [true, true, true, false, false].map(keepAlive => http1(site, keepAlive))
    const health = http1({ host: `api.${domain}`, port, path: '/health/ready' }, true)
    const healthy = async () => ((await health()).startsWith('200 ') ? '200 hello' : 'the API is not ready')
    let turn = 0
    const change = async () => {
      const env = { ...api, path: `/projects/shop/env/N${turn++ % 20}`, method: 'PUT', body: '{"value":"x"}' }
      const status = await send(port, env)
      return status < 300 ? '200 hello' : `the change was answered with ${status}`
    }
    const clients = [...visitors, healthy, change]
    const load = new Load(clients, '200 hello')
    onTestFinished(() => load.stop())
    await load.more(100)
    expect(load.failed).toEqual([])
    return { nodes, load, atOnce: clients.length }
  }

  check('no request fails when one node is stopped', async () => {
    const { nodes, load } = await underLoad()
    expect(await nodes[0].svcd.stop('SIGTERM')).toBe(0)
    await load.more(100)
    await load.stop()
    expect(load.failed).toEqual([])
  })

  check('at most the requests under way fail when one node is killed', async () => {
    const { nodes, load, atOnce } = await underLoad()
    await nodes[0].svcd.stop('SIGKILL')
    const before = load.answered
    await eventually(() => load.answered >= before + 100)
    await load.stop()
    expect(load.failed.length, load.failed.join('\n')).toBeLessThanOrEqual(atOnce)
  })
})
