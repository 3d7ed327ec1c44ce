import { describe, expect, it } from 'vitest'
import { account, refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const at = '2026-01-02T03:04:05.678Z'
const org = (name: string, changes: object = {}) => ({
  id: 'org_0123456789abcdef',
  name,
  display_name: null,
  icon_url: null,
  role: 'owner',
  created_at: at,
  ...changes,
})
const settings = (url: string) => ({ env: { SVC_API_URL: url, SVC_TOKEN: token } })

describe('svc org list', () => {
  it('follows all pages', async () => {
    const api = await standIn({
      'GET /orgs?limit=100': { body: { orgs: [org('acme', { display_name: 'Acme' })], next_cursor: 'two' } },
      'GET /orgs?cursor=two&limit=100': {
        body: { orgs: [org('globex', { role: 'member' })], next_cursor: null },
      },
    })
    const { stdout } = await svc(['org', 'list'], settings(api.url))
    expect(stdout).toBe('acme    owner   Acme\nglobex  member\n')
    const json = JSON.parse((await svc(['org', 'ls', '--json'], settings(api.url))).stdout)
    expect(json.orgs).toHaveLength(2)
  })

  it('strips control characters that others wrote', async () => {
    const hostile = '\x1b]0;owned\x07\x1b[2J\u202egnp.exe\r\nroot'
    const orgs = [org('acme', { display_name: hostile })]
    const api = await standIn({ 'GET /orgs?limit=100': { body: { orgs, next_cursor: null } } })
    const { stdout } = await svc(['org', 'list'], settings(api.url))
    expect(stdout).toMatch(/^acme {2}owner {2}[^\p{Cc}\u202e]*root\n$/u)
  })

  it('says so when there are none', async () => {
    const api = await standIn({ 'GET /orgs?limit=100': { body: { orgs: [], next_cursor: null } } })
    const { stdout } = await svc(['org', 'list'], settings(api.url))
    expect(stdout).toBe("You are in no organization yet. 'svc org create <name>' creates one.\n")
  })
})

describe('svc org create', () => {
  it('sends the display name where one is given', async () => {
    const api = await standIn({ 'POST /orgs': { status: 201, body: org('acme') } })
    const named = await svc(['org', 'create', 'acme', '--display-name', 'Acme Inc.'], settings(api.url))
    expect(named).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Created acme\. You are its owner\.\n/),
    })
    await svc(['org', 'create', 'acme'], settings(api.url))
    expect(api.calls.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { name: 'acme', display_name: 'Acme Inc.' },
      { name: 'acme' },
    ])
  })
})

describe('svc org invite', () => {
  const invite = (changes: object) => ({
    status: 201,
    body: {
      id: 'inv_0123456789abcdef',
      org: 'acme',
      email: 'bob@example.com',
      role: 'member',
      sender: 'ada',
      created_at: at,
      expires_at: '2026-01-16T03:04:05.678Z',
      invite_url: 'http://app.localhost/invites/secret',
      email_sent: false,
      ...changes,
    },
  })

  it('prints the link, and that no email was sent', async () => {
    const api = await standIn({ 'POST /orgs/acme/invites': invite({}) })
    expect(await svc(['org', 'invite', 'acme', 'bob@example.com'], settings(api.url))).toEqual({
      code: 0,
      stdout: [
        'Invited bob@example.com to acme as member.',
        'http://app.localhost/invites/secret',
        'No email was sent: pass the link on. The link is shown only now; it works once, until 2026-01-16 03:04 UTC.',
        '',
      ].join('\n'),
      stderr: '',
    })
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ email: 'bob@example.com', role: 'member' })
  })

  it('prints the link, too, when an email was sent', async () => {
    const api = await standIn({ 'POST /orgs/acme/invites': invite({ email_sent: true, role: 'admin' }) })
    const args = ['org', 'invite', 'acme', 'bob@example.com', '--role', 'admin']
    const { stdout } = await svc(args, settings(api.url))
    expect(stdout).toContain('http://app.localhost/invites/secret\n')
    expect(stdout).not.toContain('No email was sent')
  })

  it('sends an invite again, and prints the new link', async () => {
    const { body } = invite({ email_sent: true })
    const api = await standIn({ 'POST /orgs/acme/invites/inv_0123456789abcdef/resend': { body } })
    const args = ['org', 'resend-invite', 'acme', 'inv_0123456789abcdef']
    const { stdout } = await svc(args, settings(api.url))
    expect(stdout).toContain('bob@example.com is invited to acme again. The earlier link has ended.\n')
    expect(stdout).toContain('http://app.localhost/invites/secret\n')
  })

  it('knows the roles that one can be invited to', async () => {
    const api = await standIn({})
    const args = ['org', 'invite', 'acme', 'bob@example.com', '--role', 'owner']
    expect(await svc(args, settings(api.url))).toEqual({
      code: 1,
      stdout: '',
      stderr: "svc: Option '--role' must be member or admin, not 'owner'.\n",
    })
    expect(api.calls).toEqual([])
  })
})

describe('svc org token', () => {
  const created = { id: 'tok_0123456789abcdef', kind: 'deploy', label: '', created_at: at, revoked_at: null }

  it('prints the secret alone on stdout, and the warning on stderr', async () => {
    const answer = { status: 201, body: { ...created, token, created_by: 'ada' } }
    const api = await standIn({ 'POST /orgs/acme/tokens': answer })
    for (const args of [['deploy'], ['ai'], ['deploy', 'CI', 'of', 'the', 'shop']])
      expect(await svc(['org', 'token', 'acme', ...args], settings(api.url))).toEqual({
        code: 0,
        stdout: `${token}\n`,
        stderr: 'This token is shown only once. Store it somewhere safe.\n',
      })
    expect(api.calls.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { kind: 'deploy', label: 'CLI-created deploy token' },
      { kind: 'ai', label: 'CLI-created AI key' },
      { kind: 'deploy', label: 'CI of the shop' },
    ])
  })

  it('is of a kind that orgs have', async () => {
    expect(await svc(['org', 'token', 'acme', 'cli'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: Usage: svc org token <org> <ai|deploy> [label...]\n',
    })
  })
})

describe('svc org share-github', () => {
  const installation = (id: number, changes: object = {}) => ({
    id,
    account: `account-${id}`,
    mine: true,
    org: null,
    shared_by: null,
    ...changes,
  })
  const github = (installations: object[], install_url: string | null = null) => ({
    'GET /github': { body: { installations, install_url } },
    'POST /orgs/acme/installations': {
      status: 201,
      body: installation(7, { org: 'acme', shared_by: 'ada' }),
    },
  })

  it("takes the caller's only installation, whatever others share", async () => {
    const api = await standIn(github([installation(7), installation(8, { mine: false, org: 'acme' })]))
    const result = await svc(['org', 'share-github', 'acme'], settings(api.url))
    expect(result).toMatchObject({ code: 0, stdout: 'acme can use the repositories of account-7 (7) now.\n' })
    expect(JSON.parse(api.calls[1]!.body.toString())).toEqual({ installation_id: 7 })
  })

  it('lists several, and fails', async () => {
    const api = await standIn(github([installation(7), installation(12, { org: 'globex' })]))
    expect(await svc(['org', 'share-github', 'acme'], settings(api.url))).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'svc: You have several installations. Name one: svc org share-github acme <installation-id>',
        '  7  account-7',
        '  12  account-12  [globex]',
        '',
      ].join('\n'),
    })
    expect(api.keys()).toEqual(['GET /github'])
  })

  it('says where to make one when there is none', async () => {
    const api = await standIn(github([], 'https://git.example/install'))
    expect((await svc(['org', 'share-github', 'acme'], settings(api.url))).stderr).toBe(
      'svc: You have no installation at the git host.\nMake one here: https://git.example/install\n',
    )
  })

  it('asks for no list when an id is given, and sends none that is no number', async () => {
    const api = await standIn(github([]))
    expect(await svc(['org', 'share-github', 'acme', '7'], settings(api.url))).toMatchObject({ code: 0 })
    expect(api.keys()).toEqual(['POST /orgs/acme/installations'])
    for (const command of ['share-github', 'unshare-github'])
      expect((await svc(['org', command, 'acme', 'seven'], settings(api.url))).stderr).toBe(
        "svc: An installation id is a number, not 'seven'.\n",
      )
  })
})

describe('svc org rm', () => {
  const willing = {
    'GET /orgs/acme': { body: org('acme', { project_count: 0 }) },
    'DELETE /orgs/acme': { body: { ok: true } },
  }

  it('deletes once the name is typed', async () => {
    const api = await standIn(willing)
    const env = { ...settings(api.url).env, NO_COLOR: '1' }
    const refused = await svc(['org', 'rm', 'acme'], { env, terminal: true, stdin: 'yes\n' })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(api.keys()).toEqual(['GET /orgs/acme'])
    const result = await svc(['org', 'rm', 'acme'], { env, terminal: true, stdin: 'acme\n' })
    expect(result).toMatchObject({ code: 0, stdout: 'Deleted acme.\n' })
    expect(result.stderr).toContain('Type the name of the organization to delete it: ')
  })

  it('does not ask in vain', async () => {
    const api = await standIn({ 'GET /orgs/acme': { body: org('acme', { project_count: 2 }) } })
    const env = { ...settings(api.url).env, NO_COLOR: '1' }
    expect((await svc(['org', 'rm', 'acme'], { env, terminal: true })).stderr).toBe(
      'svc: acme still has 2 projects. Delete or transfer them first.\n',
    )
  })

  it('does not ask with --yes, and deletes nothing where it cannot ask', async () => {
    const api = await standIn(willing)
    expect((await svc(['org', 'rm', 'acme'], settings(api.url))).stderr).toBe(
      'svc: Deleting an organization asks for its name, and there is no terminal to ask at. Pass --yes.\n',
    )
    expect(await svc(['org', 'rm', 'acme', '--yes'], settings(api.url))).toMatchObject({ code: 0 })
    expect(api.keys()).toEqual(['DELETE /orgs/acme'])
  })
})

describe('members', () => {
  it('leave under their own login', async () => {
    const api = await standIn({
      'GET /me': { body: account },
      'DELETE /orgs/acme/members/ada': refusal('last_owner', 'An org keeps at least one owner.', 409),
    })
    expect(await svc(['org', 'leave', 'acme'], settings(api.url))).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: An org keeps at least one owner. (last_owner)\n',
    })
  })

  it('get a role that there is', async () => {
    const api = await standIn({})
    expect((await svc(['org', 'role', 'acme', 'bob', 'king'], settings(api.url))).stderr).toBe(
      "svc: Unknown role 'king'. It must be member, admin or owner.\n",
    )
    expect(api.calls).toEqual([])
  })
})

describe('svc org', () => {
  it('shows its subcommands', async () => {
    const asked = await svc(['org', '--help'])
    expect(asked).toMatchObject({ code: 0, stderr: '' })
    for (const line of asked.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(90)
    expect(asked.stdout).toContain('org unshare-github <org> <installation-id>')
    expect(await svc(['org'])).toEqual({ ...asked, code: 1 })
  })

  it('suggests a subcommand that is near, and sends nothing', async () => {
    const { code, stdout, stderr } = await svc(['org', 'memebrs', 'acme', '--json'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^svc: Unknown subcommand 'memebrs'\. Usage:\n {2}svc org list\n/)
    expect(stderr).toMatch(/\nDid you mean 'svc org members'\?\n$/)
  })
})
