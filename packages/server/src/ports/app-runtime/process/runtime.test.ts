import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { getPriority, tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { randomText } from '../../../lib/ids.ts'
import { eventually } from '../../../testing/eventually.ts'
import { askAt, describeRuntime } from '../conformance.ts'
import { AppDidNotStart, type AppSpec } from '../port.ts'
import { findCgroups } from './cgroups.ts'
import { LoopbackEndpoints } from './loopback-endpoints.ts'
import { treeOf } from './process-tree.ts'
import { ProcessRuntime, type ProcessSettings } from './runtime.ts'
import { findSandbox } from './sandbox.ts'

const limits = findCgroups('conformance') !== undefined

if (await findSandbox())
  describeRuntime('apps as processes in bubblewrap', {
    open: nodeId => ProcessRuntime.open(nodeId),
    isolates: true,
    limits,
  })
else {
  const missing = 'bubblewrap is not installed, or may not do its work here'
  console.warn(`The tests of apps as processes in bubblewrap are skipped: ${missing}`)
  describe.skip(`apps as processes in bubblewrap (${missing})`, () => test('all of it', () => undefined))
}

describeRuntime('apps as plain processes', {
  open: nodeId => ProcessRuntime.open(nodeId, { bubblewrap: false, unsandboxed: true }),
  isolates: false,
  limits,
})

/** The spec of an app that runs the script. */
function specOf(script: string, extra: Partial<AppSpec> = {}): AppSpec {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-process-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const filesDir = path.join(dir, 'files')
  mkdirSync(filesDir)
  writeFileSync(path.join(filesDir, 'app.cjs'), script)
  return {
    ...{ instanceId: `ins_${randomText(16)}`, projectId: 'prj_a', project: 'a', deploymentId: 'dep_a' },
    ...{ filesDir, scratchDirs: [], command: ['node', 'app.cjs'], env: {}, readyWithinMs: 60_000 },
    limits: { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 },
    output: () => true,
    ...extra,
  }
}

async function opened(
  options: Partial<ProcessSettings> = {},
  nodeId = `node${randomText(12)}`,
): Promise<ProcessRuntime> {
  const runtime = await ProcessRuntime.open(nodeId, { unsandboxed: true, ...options })
  onTestFinished(() => runtime.close())
  return runtime
}

/** With LD_PRELOAD, every program that gets the variable reports that the library does not exist. */
test.each([true, false])('no program but the app gets its variables (bubblewrap: %s)', async bubblewrap => {
  const runtime = await opened({ bubblewrap })
  const said: string[] = []
  const output = (_: string, chunk: Buffer) => said.push(String(chunk)) > 0
  const starting = runtime.start(specOf('', { env: { LD_PRELOAD: '/no/such/library.so' }, output }))
  await expect(starting).rejects.toThrow('exited with code 0')
  expect(said.join('').match(/\/no\/such\/library\.so/g)).toHaveLength(1)
})

test('without bubblewrap, another program that listens on the port of an app is not taken for it', async () => {
  const runtime = await opened({ bubblewrap: false })
  const others: Server[] = []
  onTestFinished(() => others.forEach(server => void server.close()))
  const ports: number[] = []
  const spec = specOf('console.log(process.env.PORT); setInterval(() => {}, 1000)', {
    output(_, chunk) {
      const port = Number(chunk)
      if (!port) return true
      ports.push(port)
      others.push(createServer().listen(port, '127.0.0.1'))
      return true
    },
  })
  const error = await runtime.start(spec).catch(error => error)
  expect(error).toBeInstanceOf(AppDidNotStart)
  expect(error.message).toContain('No free port')
  expect(new Set(ports).size).toBe(ports.length)
})

test('without a sandbox no app runs, and the error says what to install', async () => {
  const runtime = await opened({ bubblewrap: false, unsandboxed: false })
  expect((await runtime.check()).problems.join()).toContain('SVCD_UNSANDBOXED_APPS=1')
  const error = await runtime.start(specOf('')).catch(error => error)
  expect(error).toBeInstanceOf(AppDidNotStart)
  expect(error.message).toMatch(
    /^Server apps cannot run here, since there is no sandbox for them: .*bubblewrap/,
  )
})

test('without bubblewrap, no endpoint is allocated if all ports are in use', async () => {
  const endpoints = new LoopbackEndpoints(async () => false)
  expect(await endpoints.allocate()).toBeUndefined()
})

if (await findSandbox())
  test('an app whose connector was killed ends, so that it is started again', async () => {
    const runtime = await opened({ outbound: 'off' })
    const app = await runtime.start(specOf('require("node:http").createServer().listen(process.env.PORT)'))
    for (const pid of connectorsOf(process.pid)) process.kill(pid, 'SIGKILL')
    expect(await app.ended).toMatchObject({ signal: 'SIGKILL' })
    await expect(runtime.connect(app.address)).rejects.toThrow('the instance has ended')
  })

if (await findSandbox())
  test('an app in a sandbox can look its user up', async () => {
    const runtime = await opened({ outbound: 'off' })
    const asking = `
      const os = require('node:os'), { execSync } = require('node:child_process')
      const { username, homedir, uid } = os.userInfo()
      const group = execSync('id -gn').toString().trim()
      const answer = JSON.stringify({ username, homedir, group, isOwn: uid === process.getuid() })
      require('node:http').createServer((req, res) => res.end(answer)).listen(process.env.PORT)`
    const app = await runtime.start(specOf(asking))
    const user = { username: 'app', homedir: '/tmp', group: 'app', isOwn: true }
    expect(await askAt(runtime, app, '')).toEqual(user)
  })

/** The connector processes among the children of a process. */
const connectorsOf = (pid: number): number[] =>
  treeOf(pid).filter(child => /\/connector\.(mjs|pl)/.test(readFileSync(`/proc/${child}/cmdline`, 'utf8')))

test.each([true, false])('without cgroups each process has its limits (bubblewrap: %s)', async bubblewrap => {
  const runtime = await opened({ bubblewrap, cgroups: false })
  expect((await runtime.check()).warnings.join()).toContain('limits of memory')
  const greedy = `
    require('node:http').createServer(() => { const all = []; for (;;) all.push(Buffer.alloc(16 << 20, 1)) })
      .listen(process.env.PORT)`
  const app = await runtime.start(specOf(greedy))
  askAt(runtime, app, '').catch(() => undefined)
  expect((await app.ended).code).not.toBe(0)
})

test('without cgroups an app that keeps using more CPU than it may gets the lowest priority', async () => {
  const runtime = await opened({ cgroups: false })
  expect((await runtime.check()).warnings.join()).toContain('CPU is not limited')
  const spinning = `
    const os = require('node:os')
    require('node:http').createServer((req, res) => res.end(JSON.stringify(os.getPriority()))).listen(process.env.PORT)
    setInterval(() => { const until = Date.now() + 50; while (Date.now() < until); }, 60)`
  const spec = specOf(spinning)
  const app = await runtime.start({ ...spec, limits: { ...spec.limits, cpus: 0.01 } })
  expect(await askAt(runtime, app, '')).toBe(getPriority())
  await eventually(async () => (await askAt(runtime, app, '')) === 19)
})

test('without cgroups an app whose processes use too much memory together is ended', async () => {
  const runtime = await opened({ cgroups: false })
  const family = `
    const { fork } = require('node:child_process')
    if (process.argv[2]) { globalThis.held = Buffer.alloc(100 << 20, 1); setInterval(() => {}, 1000) }
    else require('node:http').createServer((req, res) => {
      for (let i = 0; i < 6; i++) fork('app.cjs', ['child'])
    }).listen(process.env.PORT)`
  const app = await runtime.start(specOf(family))
  askAt(runtime, app, '').catch(() => undefined)
  expect(await app.ended).toMatchObject({ outOfMemory: true })
})

if (limits)
  test('processes that a killed svcd left in cgroups are ended, even hidden ones, and the cgroups are removed', async () => {
    const nodeId = `node${randomText(12)}`
    const cgroups = findCgroups(nodeId)
    const cgroup = cgroups?.make('ins_left', { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 })
    cgroups?.make('ins_empty', { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 })
    const enter = 'for file; do echo 0 > "$file"; done; echo in; exec env -i setsid sleep 1000'
    const hidden = spawn('/bin/sh', ['-c', enter, 'sh', ...(cgroup?.procsFiles ?? [])])
    const ended = once(hidden, 'exit')
    await once(hidden.stdout, 'data')
    const next = await opened({}, nodeId)
    expect(await next.endLeftovers()).toEqual(['ins_left'])
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(cgroups?.list()).toEqual([])
  })

test('variables that are too large for the system are reported, and the attempt leaves nothing behind', async () => {
  const nodeId = `node${randomText(12)}`
  const runtime = await opened({}, nodeId)
  const many = Array.from({ length: 100 }, (_, i) => [`V${i}`, 'x'.repeat(60 * 1024)])
  const starting = runtime.start(specOf('', { env: Object.fromEntries(many) }))
  await expect(starting).rejects.toThrow('variables are too large')
  expect(findCgroups(nodeId)?.list() ?? []).toEqual([])
})
