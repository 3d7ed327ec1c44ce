// How the real svcd starts, says where it is, refuses bad settings, and stops.
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Machine, Svcd } from './svcd.ts'
import { visit } from './visit.ts'

async function newMachine(environment: Record<string, string> = {}): Promise<Machine> {
  const machine = await Machine.make(environment)
  onTestFinished(() => machine.remove())
  return machine
}

async function start(machine: Machine, ...args: string[]): Promise<Svcd> {
  const svcd = await machine.start(...args)
  onTestFinished(async () => void (await svcd.stop('SIGKILL')))
  return svcd
}

describe('a start', () => {
  test('says in one line that it is ready and where the API is, which then answers', async () => {
    const svcd = await start(await newMachine())
    const ready = svcd.stdout.filter(line => line.includes('svcd ready'))
    expect(ready).toEqual([expect.stringContaining(`http://localhost:${svcd.port}`)])
    const { status, body } = await visit(svcd.url, '/health')
    expect(status).toBe(200)
    expect(JSON.parse(body.toString())).toMatchObject({ ok: true })
  })

  test('offers the set-up link until there is an account', async () => {
    const machine = await newMachine()
    const first = await start(machine)
    const link = /http:\/\/app\.localhost:\d+\/setup#token=[\w-]{43}/
    await expect.poll(() => first.stdout.join('\n'), { timeout: 30_000 }).toMatch(link)
    expect(await first.stop()).toBe(0)
    await machine.token('ada')
    const second = await start(machine)
    expect(await second.stop()).toBe(0)
    expect(second.stdout.join('\n')).not.toMatch(/setup/)
  })

  test('keeps its directory and its key to itself', async () => {
    const machine = await newMachine()
    const inside = path.join(machine.dataDir, 'made', 'here')
    machine.environment.SVCD_DATA_DIR = inside
    await start(machine)
    expect(statSync(inside).mode & 0o777).toBe(0o700)
    expect(statSync(path.join(inside, 'secret.key')).mode & 0o777).toBe(0o600)
  })

  test('by `npm start` stops when npm is told to stop, and npm answers with its exit code', async () => {
    const machine = await newMachine()
    const cwd = fileURLToPath(new URL('../..', import.meta.url))
    const env = { PATH: process.env.PATH, HOME: machine.dataDir, ...machine.environment }
    const svcd = new Svcd(spawn('npm', ['start', '--silent'], { cwd, env, stdio: 'pipe' }))
    onTestFinished(async () => void (await svcd.stop('SIGKILL')))
    await svcd.ready()
    expect((await visit(svcd.url, '/health')).status).toBe(200)
    expect(await svcd.stop('SIGTERM')).toBe(0)
    await expect(visit(svcd.url, '/health')).rejects.toThrow('ECONNREFUSED')
    // It may have to build first, where the tests were started by hand.
  }, 300_000)
})

describe('a start is refused, in one line that says what is wrong,', () => {
  test.each([
    ['SVCD_PORT', 'eighty'],
    ['SVCD_PORT', '65536'],
    ['SVCD_PLATFORM_DOMAIN', 'not a domain'],
    ['SVCD_PUBLIC_SCHEME', 'gopher'],
    ['SVCD_DATABASE_URL', 'mysql://localhost/svc'],
    ['SVCD_STORAGE_URL', 'ftp://bucket'],
    ['SVCD_SECRET_KEY', 'c2hvcnQ='],
    ['SVCD_SIGNUPS', 'maybe'],
    ['SVCD_TRUST_PROXY', 'everyone'],
    ['SVCD_CONFIG', '/no/such/file'],
  ])('for %s=%s', async (variable, value) => {
    const refused = await refusal(await newMachine({ [variable]: value }))
    expect(refused).toEqual([expect.stringContaining(variable)])
  })

  test('without repeating a secret', async () => {
    const [line] = await refusal(await newMachine({ SVCD_DATABASE_URL: 'mysql://root:hunter2@db/svc' }))
    expect(line).not.toContain('hunter2')
  })

  test('for a port that is taken', async () => {
    const taken = createServer()
    onTestFinished(() => void taken.close())
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    expect(await refusal(await newMachine({ SVCD_PORT: `${port}` }))).toEqual([
      expect.stringContaining(`SVCD_PORT ${port} is in use`),
    ])
  })

  test('for a role that there is not', async () => {
    expect(await refusal(await newMachine(), '--role', 'api,cook')).toEqual([
      expect.stringContaining("'cook'"),
    ])
  })

  test('for a directory that another svcd uses', async () => {
    const machine = await newMachine()
    const first = await start(machine)
    expect(await refusal(machine)).toEqual([expect.stringContaining(machine.dataDir)])
    expect((await visit(first.url, '/health')).status).toBe(200)
  })

  /** What it wrote to stderr. */
  async function refusal(machine: Machine, ...args: string[]): Promise<string[]> {
    const svcd = new Svcd(machine.spawn('start', ...args))
    expect(await svcd.ended).toBe(1)
    expect(svcd.stdout).toEqual([])
    return svcd.stderr
  }
})

describe('a stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('by %s ends with 0', async signal => {
    const svcd = await start(await newMachine())
    expect(await svcd.stop(signal)).toBe(0)
  })

  test('lets an upload that is under way come to its end, and takes no new requests', async () => {
    const machine = await newMachine()
    const svcd = await start(machine)
    const token = await machine.token('ada')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'draining' })
    expect((await fetch(`${api(svcd)}/projects`, { method: 'POST', headers, body })).status).toBe(201)

    const archive = archiveOf({ 'index.html': 'drained' })
    const sending = request(`${api(svcd)}/projects/draining/deployments`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/gzip', 'content-length': archive.length },
    })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sending.on('response', response => resolve(response.resume().statusCode)).on('error', reject)
    })
    sending.write(archive.subarray(0, 100))
    while ((await deployments(svcd, headers))[0]?.status !== 'uploading') await sleep(10)
    svcd.child.kill('SIGTERM')
    while (await takesRequests(svcd)) await sleep(10)
    sending.end(archive.subarray(100))
    expect(await answered).toBe(201)
    expect(await svcd.ended).toBe(0)

    const again = await start(machine)
    expect(await deployments(again, headers)).toMatchObject([{ status: 'live' }])
    const { body: page } = await visit(`http://draining.localhost:${again.port}`)
    expect(page.toString()).toBe('drained')
  })

  async function deployments(svcd: Svcd, headers: Record<string, string>): Promise<{ status: string }[]> {
    const response = await fetch(`${api(svcd)}/projects/draining`, { headers })
    return ((await response.json()) as { deployments: { status: string }[] }).deployments
  }

  const takesRequests = (svcd: Svcd): Promise<boolean> =>
    visit(svcd.url, '/health').then(
      ({ status }) => status === 200,
      () => false,
    )
})

const api = (svcd: Svcd): string => `http://127.0.0.1:${svcd.port}`
