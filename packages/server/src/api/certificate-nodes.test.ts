import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { secureSocket } from '../testing/https.ts'
import { usePebble } from '../testing/pebble.ts'
import { freshPostgres } from '../testing/postgres.ts'
import { TestServer } from '../testing/server.ts'

const newDomain = () => `www.d${randomBytes(5).toString('hex')}.example`

const pebble = usePebble()

const shows = async (port: number, servername: string): Promise<boolean> => {
  try {
    ;(await secureSocket({ port, ca: pebble().root, servername })).destroy()
    return true
  } catch {
    return false // No certificate for it yet.
  }
}

it('two nodes and many requests make one order, and either node answers the authority', async () => {
  const database = await freshPostgres()
  const shared = {
    SVCD_PLATFORM_DOMAIN: 'platform.test',
    SVCD_DATABASE_URL: database.url,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    ...pebble().environment(),
    // The platform's own hosts need no certificates then.
    SVCD_PUBLIC_SCHEME: 'http',
  }
  const nodes = [await TestServer.start('sqlite', shared), await TestServer.start('sqlite', shared)]
  onTestFinished(async () => {
    for (const node of nodes) await node.remove()
    await database.drop()
  })
  pebble().gateway.targets = nodes.map(node => node.running.port)
  const { token } = await nodes[0]!.account()
  await nodes[0]!.request('/projects', { method: 'POST', token, body: { name: 'shop' } })
  const before = pebble().orders
  const domains = [newDomain(), newDomain(), newDomain()]
  await Promise.all(
    [...nodes, ...nodes, ...nodes].flatMap(node =>
      domains.map(domain =>
        node.request('/projects/shop/domains', { method: 'POST', token, body: { domain } }),
      ),
    ),
  )
  for (const node of nodes)
    for (const domain of domains) await eventually(() => shows(node.running.tlsPort!, domain))
  expect(pebble().orders - before).toBe(domains.length)
})

it('an issuance that was killed half-way is finished with the same order', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-killed-'))
  const environment = {
    SVCD_PLATFORM_DOMAIN: 'platform.test',
    SVCD_DATA_DIR: dataDir,
    SVCD_PORT: '0',
    SVCD_LOG_LEVEL: 'error',
    ...pebble().environment(),
    SVCD_PUBLIC_SCHEME: 'http',
  }
  let child = await startProgram(environment)
  onTestFinished(async () => {
    await kill(child)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })
  const found = await runProgram(environment, 'doctor')
  expect(found).toContain(
    `certificate authority: ${pebble().directory}; customers point at edge.platform.test`,
  )
  const token = await runProgram(environment, 'users', 'create', 'ada', '--token')
  const call = (target: string, body?: object) =>
    fetch(`http://127.0.0.1:${child.port}${target}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const domain = newDomain()
  const before = pebble().orders
  pebble().gateway.targets = [child.port]
  // The trial before the order passes; the answer for the authority is stopped on its way.
  pebble().gateway.hold = /acme-challenge\/(?!trial-)/
  pebble().gateway.held = 0
  await call('/projects', { name: 'shop' })
  await call('/projects/shop/domains', { domain })
  await eventually(async () => pebble().gateway.held > 0)
  await kill(child)
  expect(pebble().orders - before).toBe(1)

  pebble().gateway.hold = undefined
  child = await startProgram(environment)
  pebble().gateway.targets = [child.port]
  await eventually(async () => {
    const project = (await (await call('/projects/shop')).json()) as { domains: { tls_ready: boolean }[] }
    return project.domains[0]?.tls_ready === true
  })
  expect(pebble().orders - before).toBe(1)
})

it("the platform's own certificate is proved in the DNS, by a program of the operator", async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-hook-'))
  const [hook, log] = [path.join(dir, 'hook'), path.join(dir, 'log')]
  const script = `#!/bin/sh
echo "$1 $2" >> ${log}
call=set-txt
[ "$1" = cleanup ] && call=clear-txt
exec curl -sf -d "{\\"host\\":\\"$2.\\",\\"value\\":\\"$3\\"}" ${pebble().dnsManagement}/$call
`
  await writeFile(hook, script, { mode: 0o755 })
  const server = await TestServer.start('sqlite', {
    SVCD_PLATFORM_DOMAIN: 'own.test',
    SVCD_DNS01_HOOK: hook,
    ...pebble().environment(),
  })
  onTestFinished(async () => {
    await server.remove()
    await rm(dir, { recursive: true })
  })
  const port = server.running.tlsPort!
  for (const name of ['own.test', 'api.own.test', 'any-site.own.test'])
    await eventually(() => shows(port, name))
  expect(await shows(port, 'too.deep.own.test')).toBe(false)
  // A client that sends no server name also gets this certificate.
  await eventually(async () => {
    const unnamed = await secureSocket({ port, rejectUnauthorized: false }).catch(() => undefined)
    const names = unnamed?.getPeerCertificate().subjectaltname ?? ''
    unnamed?.destroy()
    return names.includes('DNS:*.own.test')
  })
  expect((await readFile(log, 'utf8')).trim().split('\n')).toEqual([
    'present _acme-challenge.own.test',
    'present _acme-challenge.own.test',
    'cleanup _acme-challenge.own.test',
    'cleanup _acme-challenge.own.test',
  ])
})

const program = fileURLToPath(new URL('../../bin/svcd.js', import.meta.url))

interface Running {
  child: ChildProcess
  port: number
}

async function startProgram(environment: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, [program, 'start'], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(child.stdout!)) {
    const port = /svcd ready.*?:(\d+)/.exec(line)?.[1]
    if (port) return { child, port: Number(port) }
  }
  throw new Error('svcd ended before it was ready')
}

async function kill({ child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function runProgram(environment: Record<string, string>, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  for await (const chunk of child.stdout!) printed += chunk
  return printed.trim()
}
