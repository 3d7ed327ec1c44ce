// Restarts of svcd while clients ask without a pause: not one request may fail.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { bindSocket } from '@svc/server/dist/lib/listening-sockets.js'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { Authority } from '@svc/server/dist/testing/authority.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { http1, http2, Load } from './load.ts'
import { Machine, Svcd } from './svcd.ts'

const main = fileURLToPath(new URL('../../packages/server/bundle/main.js', import.meta.url))

interface Platform {
  machine: Machine
  svcd: Svcd
  token: string
  authority: Authority
  /** The program that svcd is started with. It may be replaced, as an upgrade does. */
  program: string
}

const writeProgram = (file: string): void =>
  writeFileSync(
    file,
    `import { main } from ${JSON.stringify(main)}\nprocess.exitCode = await main(['start'])\n`,
  )

async function makeMachine(environment: Record<string, string> = {}) {
  const authority = await Authority.make()
  onTestFinished(() => authority.remove())
  const { certFile, keyFile } = await authority.certificate('api.localhost', 'shop.localhost')
  const machine = await Machine.make({
    ...{ SVCD_TLS_PORT: '0', SVCD_TLS_CERT: certFile, SVCD_TLS_KEY: keyFile, SVCD_LOG_LEVEL: 'info' },
    ...environment,
  })
  onTestFinished(() => machine.remove())
  return { authority, machine }
}

async function startPlatform(environment: Record<string, string> = {}): Promise<Platform> {
  const { authority, machine } = await makeMachine(environment)
  const program = path.join(machine.dataDir, 'svcd.mjs')
  writeProgram(program)
  machine.prefix = [process.execPath, program]
  const svcd = await machine.start()
  onTestFinished(() => endAll(svcd))
  const token = await machine.token('ada')
  return { machine, svcd, token, authority, program }
}

const app =
  "require('node:http').createServer((_, res) => res.end('app')).listen(process.env.PORT, process.env.HOSTNAME)"

/** Ends all processes that replaced each other. */
async function endAll(svcd: Svcd): Promise<void> {
  for (const pid of [svcd.child.pid!, ...successors(svcd)])
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  await svcd.ended
}

const linesWith = (svcd: Svcd, text: string): string[] => svcd.stderr.filter(line => line.includes(text))

const successors = (svcd: Svcd): number[] =>
  linesWith(svcd, 'is to replace this one').map(line => JSON.parse(line).pid)

const isAlive = (pid: number): boolean => {
  try {
    // A process that ended but was not yet waited for is no longer running.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function deploy(
  { svcd, token }: Pick<Platform, 'svcd' | 'token'>,
  files: Record<string, string>,
): Promise<void> {
  const send = async (route: string, body: string | Uint8Array<ArrayBuffer>, type: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const answer = await fetch(`http://127.0.0.1:${svcd.port}${route}`, { method: 'POST', headers, body })
    expect(answer.status).toBe(201)
  }
  await send('/projects', '{"name":"shop"}', 'application/json')
  await send('/projects/shop/deployments', Uint8Array.from(archiveOf(files)), 'application/gzip')
}

const tlsPortOf = (svcd: Svcd): number => Number(/"tlsPort":(\d+)/.exec(svcd.stderr.join('\n'))?.[1])

function visitors({ svcd, authority: { ca } }: Pick<Platform, 'svcd' | 'authority'>, expected: string): Load {
  const plain = { host: 'shop.localhost', port: svcd.port }
  const secure = { host: 'shop.localhost', port: tlsPortOf(svcd), ca }
  const load = new Load(
    [
      ...[plain, plain, plain, secure, secure].map(visited => http1(visited, true)),
      ...[plain, secure].map(visited => http1(visited, false)),
      ...[secure, secure].map(visited => http2(visited)),
    ],
    expected,
  )
  onTestFinished(() => load.stop())
  return load
}

/** Replaces the running svcd, and waits until the former one has ended. Returns the new one's number. */
async function replace(svcd: Svcd): Promise<number> {
  const before = successors(svcd)
  const former = before.at(-1) ?? svcd.child.pid!
  process.kill(former, 'SIGHUP')
  await eventually(() => successors(svcd).length > before.length && !isAlive(former))
  const isReady = () => svcd.stdout.filter(line => line.includes('svcd ready')).length === before.length + 2
  await eventually(isReady)
  return successors(svcd).at(-1)!
}

describe.each(['0', '2'])('with %s edge workers', workers => {
  test('no request to a site fails while svcd is replaced, again and again', async () => {
    const platform = await startPlatform({ SVCD_EDGE_WORKERS: workers })
    const { svcd } = platform
    await deploy(platform, { 'index.html': 'home' })
    const load = visitors(platform, '200 home')
    await load.more(100)
    const first = await replace(svcd)
    await load.more(100)
    const second = await replace(svcd)
    await load.more(100)
    await load.stop()
    expect(load.failed).toEqual([])
    expect([isAlive(first), isAlive(second)]).toEqual([false, true])
  })

  test('no request to a server app fails while svcd is replaced', async () => {
    const platform = await startPlatform({ SVCD_EDGE_WORKERS: workers })
    await deploy(platform, { Procfile: 'web: node app.cjs\n', 'app.cjs': app })
    const load = visitors(platform, '200 app')
    await load.more(50)
    await replace(platform.svcd)
    await load.more(50)
    await load.stop()
    expect(load.failed).toEqual([])
  })
})

test('a new version that cannot start leaves the old one serving, and the log says so', async () => {
  const platform = await startPlatform()
  const { svcd, program } = platform
  await deploy(platform, { 'index.html': 'home' })
  const load = visitors(platform, '200 home')
  await load.more(50)
  writeFileSync(program, 'throw new Error("This version is broken.")\n')
  process.kill(svcd.child.pid!, 'SIGHUP')
  await eventually(() => linesWith(svcd, 'could not start, so this one goes on').length === 1)
  expect(svcd.stderr.join('\n')).toContain('This version is broken.')
  writeProgram(program)
  const keyFile = path.join(platform.machine.dataDir, 'secret.key')
  const key = readFileSync(keyFile)
  writeFileSync(keyFile, 'not a key')
  process.kill(svcd.child.pid!, 'SIGHUP')
  await eventually(() => linesWith(svcd, 'could not start, so this one goes on').length === 2)
  writeFileSync(keyFile, key)
  await load.more(50)
  process.kill(svcd.child.pid!, 'SIGHUP')
  await eventually(() => !isAlive(svcd.child.pid!))
  await load.more(50)
  await load.stop()
  expect(load.failed).toEqual([])
})

test('with the sockets of systemd, no request fails while svcd ends and starts again', async () => {
  const sockets = [await bindSocket('127.0.0.1', 0), await bindSocket('127.0.0.1', 0)]
  onTestFinished(() => {
    for (const socket of sockets) socket.close()
  })
  const [port, tlsPort] = sockets.map(socket => String(socket.port))
  const { authority, machine } = await makeMachine({ SVCD_PORT: port!, SVCD_TLS_PORT: tlsPort! })
  const file = path.join(machine.dataDir, 'svcd.mjs')
  writeProgram(file)
  const start = async () => {
    const env = { PATH: process.env.PATH ?? '', ...machine.environment, LISTEN_FDS: '2' }
    const stdio = ['ignore', 'pipe', 'pipe', ...sockets.map(({ fd }) => fd)] as const
    const command = ['-c', 'LISTEN_PID=$$ exec "$@"', 'sh', process.execPath, file]
    const svcd = new Svcd(spawn('sh', command, { cwd: machine.dataDir, env, stdio: [...stdio] }))
    onTestFinished(() => endAll(svcd))
    await svcd.ready()
    return svcd
  }
  const svcd = await start()
  await deploy({ svcd, token: await machine.token('ada') }, { 'index.html': 'home' })
  const load = visitors({ svcd, authority }, '200 home')
  await load.more(100)
  expect(await svcd.stop()).toBe(0)
  await start()
  await load.more(100)
  await load.stop()
  expect(load.failed).toEqual([])
})
