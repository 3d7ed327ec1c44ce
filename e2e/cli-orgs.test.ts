// The life of an organization, by the real tool against a real platform, with several people at their terminals.
import { randomBytes } from 'node:crypto'
import { createClient } from '@svc/contract/client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Shell } from './shell.ts'
import { Machine, type Svcd } from './svcd.ts'
import { visit } from './visit.ts'

let machine: Machine
let svcd: Svcd
beforeAll(async () => {
  machine = await Machine.make()
  svcd = await machine.start()
})
afterAll(async () => {
  await svcd?.stop()
  await machine?.remove()
})

const apiUrl = () => `http://127.0.0.1:${svcd.port}`
const freshName = () => `x${randomBytes(6).toString('hex')}`

interface Person {
  login: string
  token: string
  terminal: Shell
}

function openShell(token: string): Shell {
  const shell = new Shell({ SVC_API_URL: apiUrl(), SVC_TOKEN: token })
  onTestFinished(() => shell.remove())
  return shell
}

let people = 0
async function newPerson(): Promise<Person> {
  const login = `person-${++people}`
  const token = await machine.token(login)
  return { login, token, terminal: openShell(token) }
}

/** Runs a command that must succeed, and answers what it printed. */
async function run(who: { terminal: Shell }, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await who.terminal.svc(...args)
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.any(String) })
  return stdout
}

const json = async (who: { terminal: Shell }, ...args: string[]) =>
  JSON.parse(await run(who, ...args, '--json'))

/** Runs a command that must be refused, and answers the code in the error. */
async function refusal(who: { terminal: Shell }, ...args: string[]): Promise<string | undefined> {
  const { code, stdout, stderr } = await who.terminal.svc(...args)
  expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' })
  return /^svc: .* \((\w+)\)$/m.exec(stderr)?.[1]
}

/** Invites someone, who accepts by the link that was printed. */
async function bringIn(who: Person, org: string, guest: Person, role = 'member'): Promise<void> {
  const printed = await run(who, 'org', 'invite', org, `${guest.login}@example.com`, '--role', role)
  expect(printed).toContain('No email was sent')
  const secret = /\/invites\/([\w-]{43})\n/.exec(printed)![1]!
  const call = createClient({ baseUrl: apiUrl(), token: guest.token })
  await call('POST /invites/:token/accept', { params: { token: secret } })
}

/** An organization with its owner and one more person. */
async function team(role = 'member'): Promise<{ org: string; ada: Person; bob: Person }> {
  const [ada, bob] = [await newPerson(), await newPerson()]
  const org = freshName()
  await run(ada, 'org', 'create', org, '--display-name', 'Acme & Söhne')
  await bringIn(ada, org, bob, role)
  return { org, ada, bob }
}

describe('an organization', () => {
  it('is created, listed and deleted', async () => {
    const ada = await newPerson()
    expect(await run(ada, 'org', 'list')).toContain('You are in no organization yet.')
    const org = freshName()
    await run(ada, 'org', 'create', org, '--display-name', 'Acme')
    expect(await run(ada, 'org', 'list')).toBe(`${org}  owner  Acme\n`)
    expect(await refusal(await newPerson(), 'org', 'create', org)).toBe('name_taken')
    expect(await run(ada, 'org', 'rm', org, '--yes')).toBe(`Deleted ${org}.\n`)
    expect(await json(ada, 'org', 'list')).toEqual({ orgs: [], next_cursor: null })
  })

  it('takes people in, changes their roles, and lets them go', async () => {
    const { org, ada, bob } = await team()
    const roles = async () =>
      Object.fromEntries(
        (await json(ada, 'org', 'members', org)).members.map((m: { login: string; role: string }) => [
          m.login,
          m.role,
        ]),
      )
    expect(await roles()).toEqual({ [ada.login]: 'owner', [bob.login]: 'member' })
    const line = /^person-\d+ {2}\w+ +\d{4}-\d\d-\d\d \d\d:\d\d$/
    for (const shown of (await run(bob, 'org', 'members', org)).trimEnd().split('\n'))
      expect(shown).toMatch(line)

    expect(await refusal(bob, 'org', 'invites', org)).toBe('forbidden')
    await run(ada, 'org', 'role', org, bob.login, 'admin')
    expect(await run(bob, 'org', 'invites', org)).toBe(`No pending invites in ${org}.\n`)
    expect(await refusal(bob, 'org', 'remove', org, ada.login)).toBe('forbidden')
    expect(await refusal(ada, 'org', 'leave', org)).toBe('last_owner')

    await run(ada, 'org', 'role', org, bob.login, 'owner')
    expect(await run(ada, 'org', 'leave', org)).toBe(`You left ${org}.\n`)
    expect(await refusal(ada, 'org', 'members', org)).toBe('not_found')
    await bringIn(bob, org, ada, 'admin')
    expect(await run(bob, 'org', 'remove', org, ada.login)).toBe(`Removed ${ada.login} from ${org}.\n`)
    expect(await refusal(ada, 'org', 'members', org)).toBe('not_found')
  })

  it('lists and revokes invites', async () => {
    const { org, ada } = await team()
    await run(ada, 'org', 'invite', org, 'carol@example.com', '--role', 'admin')
    const [invite] = (await json(ada, 'org', 'invites', org)).invites
    expect(await run(ada, 'org', 'invites', org)).toMatch(
      new RegExp(`^${invite.id}  carol@example\\.com  admin  by ${ada.login}  until [-\\d]+ [\\d:]+\n$`),
    )
    expect(await run(ada, 'org', 'revoke-invite', org, invite.id)).toBe(`Revoked ${invite.id}.\n`)
    expect(await refusal(ada, 'org', 'revoke-invite', org, invite.id)).toBe('not_found')
  })

  it('shares what its members have at the git host', async () => {
    const { org, ada, bob } = await team()
    expect(await run(ada, 'org', 'installations', org)).toContain('Nobody shares an installation')
    await run(bob, 'org', 'share-github', org)
    const { installations } = await json(ada, 'org', 'installations', org)
    expect(installations).toMatchObject([{ account: bob.login, mine: false, org, shared_by: bob.login }])
    const id = String(installations[0].id)
    expect(await run(ada, 'org', 'installations', org)).toBe(`${id}  ${bob.login}  by ${bob.login}\n`)
    await run(ada, 'org', 'unshare-github', org, id)
    expect(await refusal(ada, 'org', 'unshare-github', org, id)).toBe('not_found')
  })

  it('remembers who did what', async () => {
    const { org, ada, bob } = await team()
    await run(ada, 'org', 'role', org, bob.login, 'admin')
    const log = await run(bob, 'org', 'audit', org)
    expect(log).toMatch(
      new RegExp(`${ada.login} +member\\.role +${bob.login} +127.0.0.1 +from=member to=admin\n`),
    )
    expect((await json(bob, 'org', 'audit', org, '2')).entries).toHaveLength(2)
  })
})

describe('projects of an organization', () => {
  it('are created, marked, and out of sight for others', async () => {
    const { org, ada, bob } = await team()
    const name = freshName()
    await run(bob, 'init', name, '--org', org)
    expect(await run(ada, 'projects', '--org', org)).toMatch(
      new RegExp(`^${name}  http://${name}\\.localhost:\\d+  \\[${org}\\]  not deployed yet\n$`),
    )
    expect((await json(bob, 'projects')).projects).toEqual([])
    const eve = await newPerson()
    expect(await refusal(eve, 'projects', '--org', org)).toBe('not_found')
    expect(await refusal(eve, 'init', freshName(), '--org', org)).toBe('not_found')
    expect(await refusal(ada, 'org', 'rm', org, '--yes')).toBe('org_not_empty')
    expect(await refusal(bob, 'rm', name, '--yes')).toBe('forbidden')
    await run(ada, 'rm', name, '--yes')
    expect(await run(bob, 'projects', '--org', org)).toBe(`No projects in ${org} yet.\n`)
  })

  it('are linked by every member, with a word when they are somewhere else', async () => {
    const { org, ada, bob } = await team()
    const name = freshName()
    await run(ada, 'init', name, '--org', org)
    expect(await run(bob, 'init', name, '--org', org)).toContain(`Found ${name}`)
    const own = freshName()
    await run(bob, 'init', own)
    const { code, stderr } = await bob.terminal.svc('init', own, '--org', org)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `Warning: ${own} exists already and is your own; it is not in ${org}.\n`,
    })
  })

  it('are deployed by CI with a token of the org, and by nobody else', async () => {
    const { org, ada } = await team()
    const name = freshName()
    await run(ada, 'init', name, '--org', org)
    const secret = await run(ada, 'org', 'token', org, 'deploy', 'CI', 'of', 'the', 'shop')
    const ci = { terminal: openShell(secret.trim()) }
    expect(await run(ci, 'whoami')).toContain(ada.login)
    expect((await json(ci, 'projects')).projects).toMatchObject([{ name, org }])
    ci.terminal.write({ 'dist/index.html': 'from CI' })
    const { url, deployment_id } = await json(ci, 'deploy', 'dist', '--project', name)
    expect((await visit(url)).body.toString()).toBe('from CI')
    await run(ci, 'deployments', '--project', name)
    await run(ci, 'rollback', deployment_id, '--project', name)
    for (const args of [
      ['deployments', 'rm', deployment_id, '--project', name],
      ['org', 'list'],
      ['token', 'cli'],
      ['init', freshName()],
      ['audit', '--project', name],
    ])
      expect(await refusal(ci, ...args)).toBe('unauthorized')
    expect(await run(ada, 'audit')).toContain('deployment.upload')

    const [token] = (await json(ada, 'org', 'tokens', org)).tokens
    expect(token).toMatchObject({ kind: 'deploy', label: 'CI of the shop', created_by: ada.login })
    expect(await run(ada, 'org', 'tokens', org)).toContain(
      `${token.id}  deploy  CI of the shop  by ${ada.login}`,
    )
    await run(ada, 'org', 'revoke-token', org, token.id)
    expect(await refusal(ci, 'deploy', 'dist', '--project', name)).toBe('unauthorized')
  })
})

describe('the password of a site', () => {
  it('is asked for from the moment it is set until it is removed', async () => {
    const ada = await newPerson()
    ada.terminal.write({ 'index.html': 'for friends' })
    const name = freshName()
    await run(ada, 'init', name)
    const { url } = await json(ada, 'deploy')
    expect(await run(ada, 'password')).toBe(`${name} is public: everyone can see it.\n`)

    await run(ada, 'password', 'set', 'open sesame')
    expect((await visit(url)).status).toBe(401)
    expect(await run(ada, 'password', 'status')).toBe(`${name} asks visitors for a password.\n`)
    expect((await json(ada, 'password')).access).toEqual({ mode: 'password' })

    expect(await run(ada, 'password', 'rm')).toBe(`${name} is public now.\n`)
    expect((await visit(url)).body.toString()).toBe('for friends')
    const log = await run(ada, 'audit')
    expect(log).toContain('access.change')
    expect(log).not.toContain('sesame')
  })
})
