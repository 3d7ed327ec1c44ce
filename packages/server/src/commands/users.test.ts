import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { setOnlyAdmins } from '../testing/admins.ts'
import { AuthenticatorApp } from '../testing/authenticator.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const binary = fileURLToPath(new URL('../../bin/svcd.js', import.meta.url))
const password = 'a password of some length'

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

function svcd(args: string[], env: Record<string, string>, input = ''): Promise<Outcome> {
  return new Promise(resolve => {
    const options = { env: { PATH: process.env.PATH, ...env } }
    const child = execFile(process.execPath, [binary, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
    // svcd may end before it has read all of it.
    child.stdin?.on('error', () => undefined).end(input)
  })
}

onEveryServer(server => {
  const signIn = (login: string, tried = password) =>
    server().request('/auth/signin', { method: 'POST', body: { login, password: tried } })

  it('svcd users takes the password of a new account from stdin, without its line break', async () => {
    const made = await svcd(
      ['users', 'create', 'piped', '--password', '-'],
      server().environment,
      `${password}\n`,
    )
    expect(made).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(/^Created piped/) })
    expect((await signIn('piped')).status).toBe(200)
  })

  it('svcd users warns of a password on the command line, and takes it', async () => {
    const made = await svcd(['users', 'create', 'seen', '--password', password], server().environment)
    expect(made.stderr).toContain('list of processes. Use --password -')
    expect(made.stderr).not.toContain(password)
    expect((await signIn('seen')).status).toBe(200)
  })

  it('svcd users stores a password as a hash that costs much to guess', async () => {
    await svcd(['users', 'create', 'hashed', '--password', '-'], server().environment, password)
    const { db } = server().running.platform.store
    const [account] = await db.selectFrom('accounts').selectAll().where('login', '=', 'hashed').execute()
    expect(account?.password_hash).toMatch(/^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
  })

  it.each([
    ['nothing', '', /empty/],
    ['a line break alone', '\n', /empty/],
    ['a short one', 'short\n', /10 to 128/],
    ['a megabyte', 'x'.repeat(1_000_000), /too long/],
  ])('svcd users takes no password where stdin holds %s', async (_, input, words) => {
    const made = await svcd(['users', 'create', 'nobody', '--password', '-'], server().environment, input)
    expect([made.code, made.stderr]).toEqual([1, expect.stringMatching(words)])
    expect((await signIn('nobody')).status).toBe(401)
  })

  it('svcd users disables and enables an account while the server runs, and never the last admin', async () => {
    const users = (...args: string[]) => svcd(['users', ...args], server().environment)
    const token = (await users('create', 'blocked', '--token')).stdout.trim()
    const status = async () => (await server().request('/me', { token })).status
    expect(await status()).toBe(200)
    expect((await users('disable', 'blocked')).stderr).toBe(
      'Disabled blocked. 0 sessions ended, and its tokens do not work any more.\n',
    )
    expect(await status()).toBe(401)
    expect((await users('list')).stdout).toMatch(/ {2}blocked {2}- {2}user {2}disabled\n/)
    await users('enable', 'blocked')
    expect(await status()).toBe(200)
    await setOnlyAdmins(server(), [])
    expect((await users('make-admin', 'blocked')).stderr).toBe('blocked is a platform admin.\n')
    const refused = await users('remove-admin', 'blocked')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the only platform admin')])
  })

  it('svcd suspends and resumes a project and an account while the server runs', async () => {
    const run = (...args: string[]) => svcd(args, server().environment)
    const token = (await run('users', 'create', 'spammer', '--token')).stdout.trim()
    const site = await deploySite(server(), token, { 'index.html': 'here' })
    const status = async () => (await server().site(site)).status
    expect(await status()).toBe(200)
    const suspended = await run('projects', 'suspend', site, '--status', '451', '--reason', 'A court order')
    expect(suspended).toMatchObject({ code: 0, stdout: '' })
    await eventually(async () => (await status()) === 451)
    expect((await run('projects', 'resume', site)).stderr).toBe(`Resumed ${site}.\n`)
    await eventually(async () => (await status()) === 200)
    expect((await run('users', 'suspend', 'spammer', '--reason', 'Spam')).code).toBe(0)
    await eventually(async () => (await status()) === 503)
    expect((await run('users', 'resume', 'spammer')).code).toBe(0)
    await eventually(async () => (await status()) === 200)
    for (const wrong of [[], ['--reason', 'x', '--status', '404']])
      expect((await run('projects', 'suspend', site, ...wrong)).code).toBe(1)
    expect(await status()).toBe(200)
  })

  it('svcd users limits shows what an account may use and uses, and gives it limits of its own', async () => {
    const run = (...args: string[]) => svcd(['users', ...args], server().environment)
    const token = (await run('create', 'bounded', '--token')).stdout.trim()
    await deploySite(server(), token, { 'index.html': 'here' })
    expect((await run('limits', 'bounded')).stdout).toMatch(/^projects {2}1 used {2}of 50\n/)
    const set = await run('limits', 'bounded', '--set', 'projects=1', '--set', 'stored_bytes=10GB')
    expect(set.stdout).toMatch(/^projects {2}1 used {2}of 1 {2}set for this owner\n/)
    expect(set.stdout).toMatch(/^stored_bytes {2}\d+ KB used {2}of 10 GB {2}set for this owner$/m)
    const body = { name: 'one-too-many' }
    expect((await server().request('/projects', { method: 'POST', token, body })).status).toBe(402)
    await run('limits', 'bounded', '--set', 'projects=none')
    expect((await server().request('/projects', { method: 'POST', token, body })).status).toBe(201)
    for (const wrong of [
      'projects',
      'projects=',
      'projects=-1',
      'running_apps=0',
      'domains=1',
      'projects=1GB',
    ])
      expect(await run('limits', 'bounded', '--set', wrong)).toMatchObject({
        ...{ code: 1, stdout: '' },
        stderr: expect.stringMatching(/^svcd: --set /),
      })
  })

  it('svcd users rm deletes an account after the grace time, keep takes it back, and svcd audit export says so', async () => {
    const run = (...args: string[]) => svcd(args, server().environment)
    const token = (await run('users', 'create', 'leaving', '--token')).stdout.trim()
    const site = await deploySite(server(), token, { 'index.html': 'here' })
    const status = async () => (await server().site(site)).status
    expect((await run('users', 'rm', 'leaving')).stderr).toMatch(
      /^leaving and everything it owns will be deleted at /,
    )
    await eventually(async () => (await status()) === 503)
    expect((await run('users', 'keep', 'leaving')).stderr).toMatch(/^leaving stays, /)
    await eventually(async () => (await status()) === 200)
    expect((await run('users', 'keep', 'leaving')).code).toBe(1)
    const lines = (await run('audit', 'export')).stdout.trim().split('\n')
    const actions = lines
      .map(line => JSON.parse(line))
      .flatMap(({ target, action }) => (target === 'leaving' ? action : []))
    expect(actions).toEqual(['account.keep', 'account.delete'])
    expect((await run('users', 'rm', 'leaving', '--now')).stderr).toMatch(/^leaving is being deleted/)
    expect((await run('audit')).code).toBe(1)
  })

  it('svcd users reset-2fa removes a second factor, and says what is left to do', async () => {
    await svcd(['users', 'create', 'lost', '--password', '-'], server().environment, password)
    const { token } = (await signIn('lost')).json
    const post = (path: string, body: object) => server().request(path, { method: 'POST', token, body })
    const app = new AuthenticatorApp((await post('/me/totp', { password })).json.secret)
    await post('/me/totp/enable', { code: app.code(server().clock.now()) })
    expect((await signIn('lost')).json.token).toBeUndefined()
    const reset = () => svcd(['users', 'reset-2fa', 'lost'], server().environment)
    expect(await reset()).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Removed the authenticator app of lost. 1 session ended.\n' +
        'The password is enough to sign in now. If others may know it, or there is none: svcd users passwd lost\n',
    })
    expect((await signIn('lost')).json.token).toEqual(expect.any(String))
    expect((await reset()).stderr).toBe('lost has neither an authenticator app nor passkeys.\n')
    const unknown = await svcd(['users', 'reset-2fa', 'no-such-login'], server().environment)
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no account')])
  })

  it('svcd users ends the sessions of an account whose password it sets, and names the tokens that still work', async () => {
    await svcd(['users', 'create', 'reset', '--password', '-'], server().environment, password)
    const { token } = (await signIn('reset')).json
    const body = { kind: 'cli', label: 'CI of the shop' }
    const made = await server().request('/tokens', { method: 'POST', token, body })
    const statuses = async () => [
      (await server().request('/me', { token })).status,
      (await server().request('/me', { token: made.json.token })).status,
    ]
    const changed = await svcd(
      ['users', 'passwd', 'reset', '--password', '-'],
      server().environment,
      'another password',
    )
    expect(changed.stderr).toBe(
      'Changed the password of reset. 1 session ended, 0 tokens revoked.\n' +
        'These tokens still work: CI of the shop. To revoke them: --revoke-tokens\n',
    )
    await expect.poll(statuses).toEqual([401, 200])
    const again = await svcd(['users', 'passwd', 'reset', '--revoke-tokens'], server().environment)
    expect([again.stderr, again.stdout]).toEqual([
      'Changed the password of reset. 0 sessions ended, 1 token revoked.\n',
      expect.stringMatching(/^\S{20}\n$/),
    ])
    await expect.poll(statuses).toEqual([401, 401])
  })
})

it('svcd users writes nothing that other users may read, whatever the umask of the shell', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-umask-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const data = path.join(dir, 'data')
  mkdirSync(data, { mode: 0o755 })
  const { stderr } = await svcd(['migrate'], { SVCD_DATA_DIR: data })
  expect(stderr).toContain('It is closed now')
  const modes = ['.', ...readdirSync(data, { recursive: true })].map(name => [
    name,
    statSync(path.join(data, String(name))).mode & 0o077,
  ])
  expect(modes.filter(([, open]) => open !== 0)).toEqual([])
  expect(modes.length).toBeGreaterThan(3)
})
