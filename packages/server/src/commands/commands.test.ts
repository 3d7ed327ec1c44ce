import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onEveryServer } from '../testing/server.ts'

const binary = fileURLToPath(new URL('../../bin/svcd.js', import.meta.url))

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

function svcd(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise(resolve => {
    const options = { env: { PATH: process.env.PATH, ...env } }
    execFile(process.execPath, [binary, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

describe('svcd', () => {
  let dir: string
  const here = () => ({ SVCD_DATA_DIR: dir })
  beforeAll(async () => {
    dir = path.join(await mkdtemp(path.join(tmpdir(), 'svc-commands-')), 'data')
  })
  afterAll(() => rm(path.dirname(dir), { recursive: true }))

  it('explains itself', async () => {
    const asked = await svcd(['--help'])
    const bare = await svcd([])
    expect([asked.code, bare.code]).toEqual([0, 1])
    expect(asked.stdout).toBe(bare.stdout)
    expect(asked.stdout).toContain('svcd <command>')
    expect((await svcd(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each([
    [['dance'], "svcd: Unknown command 'dance'. See 'svcd --help'.\n"],
    [['start', '--role', 'api,cook'], /Unknown role 'cook'/],
    [['start', '--fast'], /--fast/],
    [['users'], /Usage/],
    [['users', 'create'], /Usage/],
    [['users', 'create', 'a/b'], /login must be/],
    [['users', 'passwd', 'nobody'], /no account 'nobody'/],
  ])('complains in one line about %j', async (args, words) => {
    const { code, stderr, stdout } = await svcd(args, here())
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(words)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('stops at a bad setting with one line that names it', async () => {
    const { code, stderr } = await svcd(['start'], { ...here(), SVCD_PORT: 'x' })
    expect([code, stderr]).toEqual([1, "svcd: SVCD_PORT must be a whole number from 0 to 65535, not 'x'\n"])
  })

  it.runIf(process.platform === 'linux')('stops where the data directory cannot be made', async () => {
    const { code, stderr } = await svcd(['start'], { SVCD_DATA_DIR: '/proc/nope/data' })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^svcd: .*\/proc\/nope.*\n$/)])
  })

  it('shows the settings, secrets redacted', async () => {
    const { stdout } = await svcd(['config'], { ...here(), SVCD_DATABASE_URL: 'postgres://u:hunter2@h/d' })
    expect(stdout).toContain('SVCD_PORT=8080\n')
    expect(stdout).toContain('SVCD_DATABASE_URL=[secret]\n')
    expect(stdout).not.toContain('hunter2')
  })

  it('migrates, once', async () => {
    const fresh = { SVCD_DATA_DIR: path.join(dir, 'fresh') }
    expect((await svcd(['migrate'], fresh)).stdout).toMatch(/^Applied 001_skeleton/)
    expect((await svcd(['migrate'], fresh)).stdout).toBe('The schema is up to date.\n')
  })

  it('makes accounts: the first one is admin, a token comes alone on stdout', async () => {
    const made = await svcd(['users', 'create', 'ada', '--email', 'ada@example.com', '--token'], here())
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^svc_[\w-]{43}\n$/) })
    await svcd(['users', 'create', 'bob', '--password', 'long enough secret'], here())
    const { stdout } = await svcd(['users', 'list'], here())
    const rows = stdout
      .trim()
      .split('\n')
      .map(row => row.split(/ {2,}/).slice(1))
    expect(rows).toEqual([
      ['ada', 'ada@example.com', 'admin'],
      ['bob', '-', 'user'],
    ])
    const again = await svcd(['users', 'create', 'ADA'], here())
    expect([again.code, again.stderr]).toEqual([1, "svcd: The login 'ada' is taken.\n"])
  })

  it('examines what it depends on', async () => {
    const { code, stdout } = await svcd(['doctor'], here())
    expect(code).toBe(0)
    for (const part of [
      'Node.js',
      'data directory',
      'database',
      'keys',
      'storage',
      'port',
      'HTTPS',
      'certificate authority',
      'countries',
      'git',
    ])
      expect(stdout).toContain(`ok    ${part}: `)
  })
})

onEveryServer(server => {
  it('makes accounts and tokens that a running server knows at once', async () => {
    const { stdout } = await svcd(['users', 'create', 'late', '--token'], server().environment)
    const { json } = await server().request('/me', { token: stdout.trim() })
    expect(json.gitforge_login).toBe('late')
  })

  it('makes up a password on request, and it works', async () => {
    await svcd(['users', 'create', 'forgetful'], server().environment)
    const { stdout } = await svcd(['users', 'passwd', 'forgetful'], server().environment)
    const body = { login: 'forgetful', password: stdout.trim() }
    const { status } = await server().request('/auth/signin', { method: 'POST', body })
    expect(status).toBe(200)
  })
})
