// The balancer rules of deploy/balancers with the real programs: two nodes behind one, and one of the nodes is killed under load.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { S3Server } from '@svc/server/dist/testing/s3-server.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'

const { findTool }: { findTool(name: string): string | undefined } = await import(
  new URL('../../scripts/tools.mjs', import.meta.url).href
)

const rules = fileURLToPath(new URL('../../deploy/balancers/', import.meta.url))

const balancers = {
  caddy: { file: 'Caddyfile', args: (file: string) => ['run', '--adapter', 'caddyfile', '--config', file] },
  nginx: {
    file: 'nginx.conf',
    args: (file: string) => [
      '-c',
      file,
      '-e',
      'stderr',
      '-g',
      `daemon off; pid ${file}.pid; error_log stderr;`,
    ],
  },
  haproxy: { file: 'haproxy.cfg', args: (file: string) => ['-db', '-f', file] },
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Starts the balancer with its rules. Only the addresses, the port and the domain are others. */
async function startBalancer(name: keyof typeof balancers, nodes: Svcd[]): Promise<number> {
  const { file, args } = balancers[name]
  const port = await freePort()
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-balancer-'))
  const config = (await readFile(path.join(rules, file), 'utf8'))
    .replaceAll('10.0.0.1:8080', `127.0.0.1:${nodes[0]?.port}`)
    .replaceAll('10.0.0.2:8080', `127.0.0.1:${nodes[1]?.port}`)
    .replaceAll('example.com', 'localhost')
    .replace('http://:80', `http://:${port}`)
    .replace('listen 80', `listen ${port}`)
    .replace('bind :80', `bind :${port}`)
  await writeFile(path.join(dir, file), config)
  const env = { PATH: process.env.PATH ?? '', HOME: dir }
  const child: ChildProcess = spawn(findTool(name) ?? name, args(path.join(dir, file)), {
    cwd: dir,
    env,
    stdio: 'ignore',
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    await rm(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  return port
}

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: Buffer | string
}

function ask(port: number, host: string, target = '/', { method = 'GET', headers = {}, body }: Asked = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: target, method, agent: false as const }
    request({ ...options, headers: { host, ...headers } }, res => {
      text(res).then(all => resolve({ status: res.statusCode ?? 0, text: all }), reject)
    })
      .on('error', reject)
      .end(body)
  })
}

async function startTwo() {
  const database = await freshPostgres()
  onTestFinished(database.drop)
  const s3 = await S3Server.start()
  onTestFinished(() => s3.stop())
  const shared = {
    SVCD_DATABASE_URL: database.url,
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    SVCD_TRUST_PROXY: '127.0.0.1',
  }
  const machines = [await Machine.make(shared), await Machine.make(shared)]
  const nodes: Svcd[] = []
  onTestFinished(async () => {
    for (const node of nodes) await node.stop('SIGKILL')
    for (const machine of machines) await machine.remove()
  })
  for (const machine of machines) nodes.push(await machine.start())
  return { nodes, token: await machines[0]!.token('ada') }
}

const atHand = (Object.keys(balancers) as (keyof typeof balancers)[]).filter(name => findTool(name))

test.each(Object.values(balancers))('the rules in $file name two nodes', async ({ file }) => {
  const config = await readFile(path.join(rules, file), 'utf8')
  for (const node of ['10.0.0.1:8080', '10.0.0.2:8080']) expect(config).toContain(node)
})

describe.each(atHand)('behind %s', name => {
  test('a node that is killed under load takes nothing with it that was acknowledged', async () => {
    const { nodes, token } = await startTwo()
    const port = await startBalancer(name, nodes)
    const headers = { authorization: `Bearer ${token}` }
    await eventually(
      async () => (await ask(port, 'api.localhost', '/health/ready').catch(() => undefined))?.status === 200,
    )
    const json = { ...headers, 'content-type': 'application/json' }
    const body = '{"name":"site"}'
    expect(
      await ask(port, 'api.localhost', '/projects', { method: 'POST', headers: json, body }),
    ).toMatchObject({ status: 201 })

    const ledger: { page: number; id: string }[] = []
    let tried = 0
    let isOver = false
    const deploying = (async () => {
      while (!isOver) {
        const page = ++tried
        const upload = { ...headers, 'content-type': 'application/gzip' }
        const sent = { method: 'POST', headers: upload, body: archiveOf({ 'index.html': `page ${page}` }) }
        const answer = await ask(port, 'api.localhost', '/projects/site/deployments', sent).catch(
          () => undefined,
        )
        if (answer?.status === 201) ledger.push({ page, id: JSON.parse(answer.text).id })
      }
    })()
    const stale: string[] = []
    let seen = 0
    const visiting = (async () => {
      while (!isOver) {
        const acknowledged = ledger.at(-1)?.page ?? 0
        const answer = await ask(port, 'site.localhost').catch(() => undefined)
        if (answer?.status !== 200) continue
        seen++
        if (Number(answer.text.slice(5)) < acknowledged) stale.push(`${answer.text} after ${acknowledged}`)
      }
    })()
    await eventually(async () => ledger.length >= 3)
    await nodes[0]!.stop('SIGKILL')
    const [deployed, visited] = [ledger.length, seen]
    await eventually(async () => ledger.length >= deployed + 3 && seen >= visited + 20)
    isOver = true
    await Promise.all([deploying, visiting])

    expect(stale).toEqual([])
    for (const { id } of ledger)
      expect(await ask(port, 'api.localhost', `/projects/site/deployments/${id}`, { headers })).toMatchObject(
        { status: 200 },
      )
    const live = Number((await ask(port, 'site.localhost')).text.slice(5))
    // A deploy that ended without an answer may have gone live.
    expect(live).toBeGreaterThanOrEqual(ledger.at(-1)!.page)
    expect(live).toBeLessThanOrEqual(tried)
  })
})
