// Disabling accounts, and changing who is a platform admin.
import { expect, it } from 'vitest'
import { createAccount } from '../core/identity/accounts.ts'
import { newId } from '../lib/ids.ts'
import { platformAdmin, setOnlyAdmins } from '../testing/admins.ts'
import { archiveOf } from '../testing/archives.ts'
import { AuthenticatorApp } from '../testing/authenticator.ts'
import { openEvents } from '../testing/event-stream.ts'
import { PasskeyDevice } from '../testing/passkey-device.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

const password = 'a password of some length'

onEveryServer(server => {
  const signIn = (login: string, tried = password) =>
    server().request('/auth/signin', { method: 'POST', body: { login, password: tried } })
  const patch = (who: { token: string }, login: string, body: object) =>
    send(server(), `PATCH /admin/users/${login}`, who, body)
  const statusOf = async (token: string) => (await server().request('/me', { token })).status

  async function personWithPassword() {
    const login = freshName()
    const account = await createAccount(server().running.platform, { login, password })
    const { token } = (await signIn(login)).json
    return { id: account.id, login, token }
  }

  it('a disabled account loses its sessions and tokens at once, and its site stays online', async () => {
    const admin = await platformAdmin(server())
    const person = await personWithPassword()
    const token = (await send(server(), 'POST /tokens', person, { kind: 'cli' })).json.token
    const name = freshName()
    await server().client(token)('POST /projects', { body: { name } })
    await server().upload(token, name, archiveOf({ 'index.html': 'still here' }))
    const { status, json } = await patch(admin, person.login.toUpperCase(), { disabled: true })
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({ login: person.login, disabled_at: expect.any(String), projects: 1 }),
    ])
    expect([await statusOf(person.token), await statusOf(token)]).toEqual([401, 401])
    const refused = await server().request('/me', { token })
    expect(refused.json.error.message).toMatch(/^This account is disabled\./)
    const site = await server().request('/', { host: `${name}.${server().running.platform.domain}` })
    expect(site.text).toBe('still here')
    await patch(admin, person.login, { disabled: false })
    expect([await statusOf(person.token), await statusOf(token)]).toEqual([401, 200])
  })

  it('a disabled account learns so at sign-in, but only after the right password', async () => {
    const admin = await platformAdmin(server())
    const { login } = await personWithPassword()
    await patch(admin, login, { disabled: true })
    const right = await signIn(login)
    expect(refusal(right)).toBe('403 forbidden')
    expect(right.json.error.message).toMatch(/^This account is disabled\./)
    const wrong = await signIn(login, 'not the password')
    expect([refusal(wrong), wrong.json.error.message]).toEqual([
      '401 unauthorized',
      (await signIn(freshName())).json.error.message,
    ])
    await patch(admin, login, { disabled: false })
    expect((await signIn(login)).status).toBe(200)
  })

  it('neither a code that was asked for before nor a passkey signs in to a disabled account', async () => {
    const admin = await platformAdmin(server())
    const person = await personWithPassword()
    const device = new PasskeyDevice(server().running.urls.dashboard)
    const post = async (path: string, body: object) =>
      (await send(server(), `POST ${path}` as 'POST /', person, body)).json
    const credential = device.create(await post('/me/passkeys/options', { password }))
    await post('/me/passkeys', { name: 'Laptop', credential })
    const app = new AuthenticatorApp((await post('/me/totp', { password })).secret)
    const { recovery_codes } = await post('/me/totp/enable', { code: app.code(server().clock.now()) })
    const { challenge } = (await signIn(person.login)).json
    await patch(admin, person.login, { disabled: true })
    // All sign-ins that waited for a code have ended with the sessions.
    const code = { challenge, code: recovery_codes[0] }
    expect(refusal(await send(server(), 'POST /auth/signin/code', undefined, code))).toBe('401 unauthorized')
    const options = (await send(server(), 'POST /auth/passkey/options')).json
    const signed = { credential: device.get(options) }
    expect(refusal(await send(server(), 'POST /auth/passkey', undefined, signed))).toBe('403 forbidden')
  })

  it('the org tokens that a disabled account created stop, and its streams of events end', async () => {
    const admin = await platformAdmin(server())
    const team = await makeTeam(server())
    const made = await send(server(), `POST /orgs/${team.org}/tokens`, team.admin, { kind: 'deploy' })
    const stream = await openEvents(server(), team.admin.token)
    await stream.next()
    expect(await statusOf(made.json.token)).toBe(200)
    await patch(admin, team.admin.login, { disabled: true })
    expect(await statusOf(made.json.token)).toBe(401)
    // The stream ends with the next change in a workspace that it reads.
    await send(server(), 'POST /projects', team.owner, { name: freshName(), org: team.org })
    expect(await stream.next()).toBeUndefined()
  })

  it('an admin makes another account an admin, and takes that away', async () => {
    const admin = await platformAdmin(server())
    const person = await server().account()
    expect((await patch(admin, person.login, { admin: true })).json.admin).toBe(true)
    expect((await send(server(), 'GET /admin/users', person)).status).toBe(200)
    expect((await patch(person, admin.login, { admin: false })).json.admin).toBe(false)
    expect((await send(server(), 'GET /admin/users', admin)).status).toBe(403)
  })

  it('admins change their own account only if they confirm it with their login', async () => {
    const admin = await platformAdmin(server())
    await platformAdmin(server())
    for (const change of [{ disabled: true }, { admin: false }]) {
      expect(refusal(await patch(admin, admin.login, change))).toBe('400 invalid_request')
      expect(refusal(await patch(admin, admin.login, { ...change, confirm: 'yes' }))).toBe(
        '400 invalid_request',
      )
    }
    expect(await statusOf(admin.token)).toBe(200)
    const done = await patch(admin, admin.login, { admin: false, confirm: admin.login })
    expect([done.status, done.json.admin]).toEqual([200, false])
  })

  it('the last admin that can sign in stays one', async () => {
    const admin = await platformAdmin(server())
    const other = await platformAdmin(server())
    await setOnlyAdmins(server(), [admin.id, other.id])
    const confirm = admin.login
    expect((await patch(admin, other.login, { disabled: true })).status).toBe(200)
    for (const change of [{ disabled: true }, { admin: false }])
      expect(refusal(await patch(admin, admin.login, { ...change, confirm }))).toBe('409 last_admin')
    expect((await send(server(), 'GET /admin/users', admin)).status).toBe(200)
  })

  it('of two admins that remove each other at the same time, one stays', async () => {
    const [a, b] = [await platformAdmin(server()), await platformAdmin(server())]
    await setOnlyAdmins(server(), [a.id, b.id])
    const answers = await Promise.all([
      patch(a, b.login, { disabled: true }),
      patch(b, a.login, { disabled: true }),
    ])
    const statuses = await Promise.all([a, b].map(({ token }) => statusOf(token)))
    expect(statuses.toSorted(), JSON.stringify(answers.map(refusal))).toEqual([200, 401])
  })

  it('changes are in the audit log of the account, once', async () => {
    const admin = await platformAdmin(server())
    const person = await server().account()
    for (const disabled of [true, true, false, false]) await patch(admin, person.login, { disabled })
    const { entries } = (await send(server(), 'GET /me/audit', person)).json
    expect(entries.map((entry: { action: string; actor: string }) => [entry.action, entry.actor])).toEqual([
      ['account.enable', admin.login],
      ['account.disable', admin.login],
    ])
  })

  it('a change of nothing and an unknown login are refused', async () => {
    const admin = await platformAdmin(server())
    expect(refusal(await patch(admin, admin.login, {}))).toBe('400 invalid_request')
    expect(refusal(await patch(admin, 'no-such-login', { disabled: true }))).toBe('404 not_found')
  })

  it('the list counts few projects at once, and very many every ten minutes', async () => {
    const admin = await platformAdmin(server())
    const { id, login } = await server().account()
    const { db } = server().running.platform.store
    const add = async (count: number) => {
      const projects = Array.from({ length: count }, () => ({ id: newId('prj'), name: freshName() }))
      const facts = {
        account_id: id,
        created_at: 1,
        access_mode: 'public',
        access_generation: 0,
        active_at: null,
      } as const
      const unset = { org_id: null, active_deployment_id: null, expires_at: null, password_hash: null }
      await db
        .insertInto('projects')
        .values(projects.map(project => ({ ...project, ...facts, ...unset })))
        .execute()
      const totals = projects.map(project => ({
        project_id: project.id,
        bytes: 5,
        deployments: 1,
        checked_at: 0,
      }))
      await db.insertInto('stored_totals').values(totals).execute()
    }
    const listed = async () => {
      const { users } = (await send(server(), `GET /admin/users?search=${login}`, admin)).json
      return [users[0].projects, users[0].stored_bytes]
    }
    for (const count of [400, 300, 300]) await add(count)
    expect(await listed()).toEqual([1_000, 5_000])
    await add(3)
    expect(await listed()).toEqual([1_003, 5_015])
    await add(1)
    expect(await listed()).toEqual([1_003, 5_015])
    server().clock.advance(11 * 60_000)
    expect(await listed()).toEqual([1_004, 5_020])
  })
})
