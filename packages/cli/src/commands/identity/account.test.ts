import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { account, refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const stored = { 'credentials.json': `{"token":"${token}"}\n` }

describe('svc whoami', () => {
  it('prints login, id and email', async () => {
    const api = await standIn({ 'GET /me': { body: account } })
    const env = { SVC_API_URL: api.url, SVC_CONFIG_DIR: temporaryDirectory(stored) }
    expect(await svc(['whoami'], { env })).toEqual({
      code: 0,
      stdout: 'ada (acc_0123456789abcdef, ada@example.com)\n',
      stderr: '',
    })
    expect(api.calls[0]!.headers.authorization).toBe(`Bearer ${token}`)
  })

  it('leaves out an email that there is not', async () => {
    const api = await standIn({ 'GET /me': { body: { ...account, email: null } } })
    const { stdout } = await svc(['whoami'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(stdout).toBe('ada (acc_0123456789abcdef)\n')
  })

  it("prints the API's answer with --json", async () => {
    const api = await standIn({ 'GET /me': { body: account } })
    const { stdout } = await svc(['whoami', '--json'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(JSON.parse(stdout)).toEqual(account)
  })

  it('says so if the token reaches only one project', async () => {
    const api = await standIn({ 'GET /me': { body: { ...account, project: 'blog' } } })
    const { stdout } = await svc(['whoami'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(stdout).toMatch(/\nThe token reaches only the project blog\.\n$/)
  })

  it('lets SVC_TOKEN win over the stored token, unless it is empty', async () => {
    const api = await standIn({ 'GET /me': { body: account } })
    const env = { SVC_API_URL: api.url, SVC_CONFIG_DIR: temporaryDirectory(stored) }
    await svc(['whoami'], { env: { ...env, SVC_TOKEN: 'svc_other' } })
    await svc(['whoami'], { env: { ...env, SVC_TOKEN: '' } })
    expect(api.calls.map(call => call.headers.authorization)).toEqual(['Bearer svc_other', `Bearer ${token}`])
  })

  it('finds the credentials in the directory that the environment names', async () => {
    const api = await standIn({ 'GET /me': { body: account } })
    const nested = (dir: string) =>
      temporaryDirectory({ [join(dir, 'credentials.json')]: `{"token":"${token}"}` })
    const places: Record<string, string>[] = [
      { SVC_CONFIG_DIR: nested('.'), XDG_CONFIG_HOME: '/nowhere' },
      { XDG_CONFIG_HOME: nested('svc') },
      { HOME: nested('.config/svc'), XDG_CONFIG_HOME: '' },
    ]
    for (const place of places)
      expect(await svc(['whoami'], { env: { SVC_API_URL: api.url, ...place } })).toMatchObject({ code: 0 })
  })

  it('says what is wrong with broken credentials', async () => {
    const dir = temporaryDirectory({ 'credentials.json': '{"token"' })
    expect(await svc(['whoami'], { env: { SVC_CONFIG_DIR: dir } })).toEqual({
      code: 1,
      stdout: '',
      stderr: `svc: ${join(dir, 'credentials.json')} is not valid JSON. Correct or remove it.\n`,
    })
  })
})

describe('svc logout', () => {
  it('deletes the credentials, and tells whether there were any', async () => {
    const dir = temporaryDirectory(stored)
    const env = { SVC_CONFIG_DIR: dir, SVC_TOKEN: token }
    expect(await svc(['logout'], { env })).toEqual({ code: 0, stdout: 'Logged out.\n', stderr: '' })
    expect(existsSync(join(dir, 'credentials.json'))).toBe(false)
    expect(await svc(['logout'], { env })).toEqual({ code: 0, stdout: 'Already logged out.\n', stderr: '' })
  })
})

describe('svc token', () => {
  it('says when the token expires, where --expires does', async () => {
    const api = await standIn({ 'POST /tokens': { status: 201, body: { token } } })
    const made = await svc(['token', 'cli', 'CI', '--expires', '2099-12-31'], {
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    expect([made.code, made.stdout]).toEqual([0, `${token}\n`])
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({
      kind: 'cli',
      label: 'CI',
      expires_at: '2099-12-31T00:00:00.000Z',
    })
    const refused = await svc(['token', 'cli', '--expires', 'soon'], {
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^svc: --expires takes/)])
    expect(api.calls).toHaveLength(1)
  })

  it.each([
    [['create', '--project', 'blog'], { kind: 'cli', label: 'CLI-created deploy token', project: 'blog' }],
    [['create', 'for', 'CI'], { kind: 'cli', label: 'for CI' }],
    [['cli', 'CI', '--project', 'blog'], { kind: 'cli', label: 'CI', project: 'blog' }],
    [['cli'], { kind: 'cli', label: 'CLI-created deploy token' }],
    [['ai'], { kind: 'ai', label: 'CLI-created AI key' }],
    [['cli', 'for', 'the CI'], { kind: 'cli', label: 'for the CI' }],
  ])('with %j prints the secret alone on stdout', async (args, body) => {
    const api = await standIn({ 'POST /tokens': { status: 201, body: { token: 'svc_secret' } } })
    const result = await svc(['token', ...args], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(result).toEqual({
      code: 0,
      stdout: 'svc_secret\n',
      stderr: 'This token is shown only once. Store it somewhere safe.\n',
    })
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual(body)
  })

  it('knows no other kinds, and sends nothing', async () => {
    for (const args of [[], ['deploy'], ['CLI']])
      expect(await svc(['token', ...args], { env: { SVC_TOKEN: token } })).toEqual({
        code: 1,
        stdout: '',
        stderr: 'svc: Usage: svc token <ai|cli> [label...]\n',
      })
  })

  it('makes no ai token for a project', async () => {
    const { code, stderr } = await svc(['token', 'ai', '--project', 'blog'], { env: { SVC_TOKEN: token } })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^svc: An ai token reaches no project/)])
  })

  const row = { kind: 'cli', created_at: '2026-01-02T03:04:05.678Z', last_used_at: null, expires_at: null }
  const tokens = [
    {
      ...row,
      id: 'tok_1',
      label: 'CI',
      project: 'blog',
      last_used_at: '2026-02-03T04:05:06.789Z',
      expires_at: '2099-01-01T00:00:00.000Z',
    },
    { ...row, id: 'tok_2', label: 'laptop', current: true },
    { ...row, id: 'tok_3', label: 'old', expires_at: '2020-01-01T00:00:00.000Z' },
    { ...row, id: 'tok_4', label: 'gone', revoked_at: '2026-02-03T04:05:06.789Z' },
  ]

  it('list shows the valid tokens, when they were used, and which one is in use', async () => {
    const api = await standIn({ 'GET /tokens?limit=100': { body: { tokens, next_cursor: null } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    for (const word of ['list', 'ls'])
      expect((await svc(['token', word], { env })).stdout).toBe(
        [
          '  tok_1  cli  only blog  CI      2026-01-02 03:04  used 2026-02-03 04:05  expires 2099-01-01 00:00',
          '* tok_2  cli             laptop  2026-01-02 03:04  never used                                       in use here',
          '  tok_3  cli             old     2026-01-02 03:04  never used             expired 2020-01-01 00:00',
          '',
        ].join('\n'),
      )
    const { stdout } = await svc(['token', 'ls', '--json'], { env })
    expect(JSON.parse(stdout)).toEqual({ tokens, next_cursor: null })
  })

  it('revoke revokes one', async () => {
    const api = await standIn({ 'DELETE /tokens/tok_1': { body: { ok: true } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    for (const word of ['revoke', 'rm'])
      expect(await svc(['token', word, 'tok_1'], { env })).toEqual({
        code: 0,
        stdout: 'Revoked tok_1.\n',
        stderr: '',
      })
    expect((await svc(['token', 'revoke'], { env })).stderr).toBe('svc: Usage: svc token revoke <id>\n')
  })

  it('passes on what the API refuses', async () => {
    const api = await standIn({ 'POST /tokens': refusal('invalid_request', 'label: too long') })
    const result = await svc(['token', 'ai', 'x'.repeat(201)], {
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: 'svc: label: too long (invalid_request)\n' })
  })
})
