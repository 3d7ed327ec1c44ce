import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startPlatform } from '../compose.ts'
import { readSettings } from '../config.ts'
import { SealKey } from '../lib/seal.ts'
import type { Engine } from '../store/store.ts'
import { TestServer } from '../testing/server.ts'

const binary = fileURLToPath(new URL('../../bin/svcd.js', import.meta.url))

const start = (args: string[], environment: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [binary, ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

async function svcd(args: string[], environment: Record<string, string>) {
  const child = start(args, environment)
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', text => (output.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', text => (output.stderr += text))
  const [code] = await once(child, 'close')
  return { code: code as number, ...output }
}

/** Kills the command as soon as it has said so many lines; answers whether it was still running. */
async function killAfter(lines: number, environment: Record<string, string>): Promise<boolean> {
  const child = start(['keys', 'rotate'], environment)
  let seen = 0
  createInterface(child.stderr!).on('line', () => {
    if (++seen === lines) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  return signal === 'SIGKILL'
}

async function startServer(engine: Engine, extra: Record<string, string> = {}): Promise<TestServer> {
  const server = await TestServer.start(engine, { SVCD_LOG_LEVEL: 'silent', ...extra })
  onTestFinished(() => server.remove())
  return server
}

/** A project with variables, and the way to ask whether all of them still are what they were. */
async function projectWith(server: TestServer, count: number) {
  const { token } = await server.account()
  const name = `keys-${Math.random().toString(36).slice(2, 10)}`
  await server.request('/projects', { method: 'POST', token, body: { name } })
  const expected = new Map<string, string>()
  const put = async (key: string, value: string) => {
    const { status } = await server.request(`/projects/${name}/env/${key}`, {
      method: 'PUT',
      token,
      body: { value },
    })
    expect(status).toBe(200)
    expected.set(key, value)
  }
  for (let i = 0; i < count; i++) await put(`KEY_${i}`, `value ${i} of ${name}`)
  const check = async () => {
    const { json } = await server.request(`/projects/${name}/env`, { token })
    expect(json.error).toBeUndefined()
    expect(new Map(json.env.map((v: { key: string; value: string }) => [v.key, v.value]))).toEqual(expected)
  }
  return { name, put, check }
}

const keyFile = (server: TestServer) => path.join(server.dataDir, 'secret.key')
const lines = (server: TestServer) => readFileSync(keyFile(server), 'utf8').trim().split('\n')
const idOf = (line: string | undefined) => SealKey.parse(line ?? '')?.id

describe.each(['sqlite', 'postgres'] as const)('svcd keys on %s', engine => {
  it('makes a new key beside a running server, which reads and writes on', async () => {
    const server = await startServer(engine)
    const { put, check } = await projectWith(server, 3)
    const [before] = lines(server)
    expect((await svcd(['keys', 'list'], server.environment)).stdout).toBe(
      `${idOf(before)}  current  3 values\n`,
    )

    const { code, stdout } = await svcd(['keys', 'rotate'], server.environment)
    const [after, ...more] = lines(server)
    expect([code, stdout, more]).toEqual([0, `Every value is sealed with the key ${idOf(after)}.\n`, []])
    expect(after).not.toBe(before)
    expect(statSync(keyFile(server)).mode & 0o777).toBe(0o600)

    await check()
    await put('AFTER', 'the rotation')
    await check()
    expect((await svcd(['keys', 'list'], server.environment)).stdout).toBe(
      `${idOf(after)}  current  4 values\n`,
    )
  })

  it('loses nothing when it is killed, and goes on where it was', async () => {
    const server = await startServer(engine)
    const projects = [await projectWith(server, 110), await projectWith(server, 110)]
    // After the new key, after the first values, and in a rotation that was cut off before.
    const killed = [
      await killAfter(1, server.environment),
      await killAfter(2, server.environment),
      await killAfter(2, server.environment),
    ]
    expect(killed[0]).toBe(true)
    for (const project of projects) {
      await project.check()
      await project.put('BETWEEN', 'two attempts')
    }

    const { code } = await svcd(['keys', 'rotate'], server.environment)
    expect([code, lines(server).length]).toEqual([0, 1])
    for (const project of projects) await project.check()
    const { stdout } = await svcd(['keys', 'list'], server.environment)
    expect(stdout).toBe(`${idOf(lines(server)[0])}  current  222 values\n`)
  })

  it('keeps every value that is written while it runs', async () => {
    const server = await startServer(engine)
    const projects = [await projectWith(server, 60), await projectWith(server, 60)]
    let rotating = true
    const writers = projects.map(async project => {
      for (let i = 0; rotating; i++) await project.put(`KEY_${i % 80}`, `written meanwhile, ${i}`)
    })
    for (let round = 0; round < 3; round++)
      expect((await svcd(['keys', 'rotate'], server.environment)).code).toBe(0)
    rotating = false
    await Promise.all(writers)
    const { stdout } = await svcd(['keys', 'list'], server.environment)
    expect(stdout.trim().split('\n')).toHaveLength(1)
    for (const project of projects) await project.check()
  })

  it('drops no key while there is a value that it cannot read', async () => {
    const server = await startServer(engine)
    const { name, check } = await projectWith(server, 2)
    const { db } = server.running.platform.store
    const lost = SealKey.fresh()
    const [whole] = await db.selectFrom('env_vars').selectAll().where('key', '=', 'KEY_1').execute()
    await db
      .updateTable('env_vars')
      .set(lost.seal('value', ['nowhere']))
      .where('key', '=', 'KEY_1')
      .execute()

    const { code, stderr } = await svcd(['keys', 'rotate'], server.environment)
    expect([code, lines(server).length]).toEqual([1, 2])
    expect(stderr).toContain(`${name}: KEY_1 cannot be read: sealed with the key ${lost.id}.`)
    const doctor = await svcd(['doctor'], server.environment)
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(`1 sealed with ${lost.id}`)])
    const listed = await svcd(['keys', 'list'], server.environment)
    expect([listed.code, listed.stdout]).toEqual([
      1,
      expect.stringContaining(`${lost.id}  missing  1 value\n`),
    ])

    await db
      .updateTable('env_vars')
      .set({ key_id: whole!.key_id, sealed: whole!.sealed })
      .where('key', '=', 'KEY_1')
      .execute()
    await check()
    expect((await svcd(['keys', 'rotate'], server.environment)).code).toBe(0)
    await check()
    expect(lines(server)).toHaveLength(1)
  })

  it('seals with the key of the environment, and says what the operator does', async () => {
    const [old, fresh] = [SealKey.fresh().base64.reveal(), SealKey.fresh().base64.reveal()]
    const server = await startServer(engine, { SVCD_SECRET_KEY: old })
    const { check } = await projectWith(server, 2)
    const same = await svcd(['keys', 'rotate'], server.environment)
    expect([same.code, same.stderr]).toEqual([0, expect.stringContaining('move it to SVCD_SECRET_KEYS_OLD')])

    const changed = { ...server.environment, SVCD_SECRET_KEY: fresh, SVCD_SECRET_KEYS_OLD: old }
    const rotated = await svcd(['keys', 'rotate'], changed)
    expect(rotated).toMatchObject({ code: 0, stdout: `Every value is sealed with the key ${idOf(fresh)}.\n` })
    expect(rotated.stderr).toContain('remove SVCD_SECRET_KEYS_OLD')
    expect((await svcd(['keys', 'list'], { ...changed, SVCD_SECRET_KEYS_OLD: '' })).stdout).toBe(
      `${idOf(fresh)}  current  2 values\n`,
    )
    // The server still runs with the old key alone, and so can read nothing until it is restarted.
    await expect(check()).rejects.toThrow()
  })
})

describe('the key file', () => {
  const fresh = () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'svc-keys-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    return { dir, environment: { SVCD_DATA_DIR: dir } }
  }

  it.each([
    ['', 'holds no key'],
    ['not a key\n', 'must hold keys of 32 bytes in base64'],
  ])('stops the program in one line where it is %j', async (content, words) => {
    const { dir, environment } = fresh()
    writeFileSync(path.join(dir, 'secret.key'), content)
    const { code, stderr } = await svcd(['keys', 'list'], environment)
    expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining(words)]])
  })

  it('is changed by one program at a time', async () => {
    const { environment } = fresh()
    await svcd(['migrate'], environment)
    const both = await Promise.all([
      svcd(['keys', 'rotate'], environment),
      svcd(['keys', 'rotate'], environment),
    ])
    for (const { code, stderr } of both)
      expect(code === 0 || stderr.includes('another svcd is changing the keys')).toBe(true)
    expect(both.some(({ code }) => code === 0)).toBe(true)
  })

  it('still opens what it sealed after the operator moves to a key in the environment', async () => {
    const { environment } = fresh()
    await svcd(['migrate'], environment)
    const key = SealKey.fresh()
    const moved = { ...environment, SVCD_SECRET_KEY: key.base64.reveal() }
    const { stdout } = await svcd(['keys', 'list'], moved)
    expect(stdout.trim().split('\n')).toEqual([
      `${key.id}  current  0 values`,
      expect.stringMatching(/^[0-9a-f]{8} {2}older {4}0 values$/),
    ])
  })
})

describe.each(['sqlite', 'postgres'] as const)('with another secret key, on %s', engine => {
  it('svcd does not start, says what to do, and starts again with the right key or after svcd keys adopt', async () => {
    const server = await startServer(engine)
    const { dataDir } = server
    const environment: Record<string, string> = { ...server.environment, SVCD_LOG_LEVEL: 'silent' }
    await projectWith(server, 1)
    await server.running.stop()
    const [file, right] = [
      path.join(dataDir, 'secret.key'),
      readFileSync(path.join(dataDir, 'secret.key'), 'utf8'),
    ]
    writeFileSync(file, `${SealKey.fresh().base64.reveal()}\n`)

    const refused = await svcd(['start'], environment)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /^svcd: cannot start: the secret key of this node \(\w{8}\) is not the key of the platform \(\w{8}\)\. Copy /,
    )
    expect(refused.stderr).toContain('`svcd keys adopt`')

    expect((await svcd(['keys', 'adopt'], environment)).stderr).toContain('has to be set again')
    const reads = () => startPlatform(readSettings(environment), { log: pino({ level: 'silent' }) })
    await (await reads()).stop()
    writeFileSync(file, right)
    await expect(reads()).rejects.toThrow('is not the key of the platform')
    expect((await svcd(['keys', 'adopt'], environment)).code).toBe(0)
    await (await reads()).stop()
  })
})
