// Calls the endpoints that change something, one after the other, and compares what each writes to the audit log with
// what its row in the contract says. A new endpoint must be called here, too, or be listed as called elsewhere.
import { type AuditAction, type EndpointKey, type EndpointTable, endpoints } from '@svc/contract'
import { expect, it } from 'vitest'
import { enqueue } from '../core/base/jobs.ts'
import { newId } from '../lib/ids.ts'
import { platformAdmin } from '../testing/admins.ts'
import { procfileApp } from '../testing/apps.ts'
import { archiveOf } from '../testing/archives.ts'
import { AuthenticatorApp } from '../testing/authenticator.ts'
import { choose } from '../testing/billing.ts'
import { eventually } from '../testing/eventually.ts'
import { submit } from '../testing/forms.ts'
import { newGitProject } from '../testing/git-project.ts'
import { PasskeyDevice } from '../testing/passkey-device.ts'
import { send } from '../testing/send.ts'
import { type HttpAnswer, onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person, secretOf } from '../testing/team.ts'

type ChangeKey = { [K in EndpointKey]: EndpointTable[K] extends { audit: unknown } ? K : never }[EndpointKey]

interface Call {
  params?: Record<string, string>
  body?: unknown
  who?: Person | undefined
  headers?: Record<string, string>
  query?: string
  /** Which of the row's actions, if it has several. */
  action?: AuditAction
}

const changes = Object.keys(endpoints).filter(key => !key.startsWith('GET ')) as ChangeKey[]

/** These need a mail server, a svcd of their own, a certificate authority, GitHub, Stripe or an operator. Their own tests call them. */
const calledElsewhere: ChangeKey[] = [
  'POST /auth/device/poll',
  'POST /auth/password/forgot',
  'POST /auth/password/reset',
  'DELETE /me/email/pending',
  'POST /admin/settings/github',
  'POST /admin/settings/github/finish',
  'POST /admin/settings/restart',
  'POST /admin/settings/test-mail',
  'POST /confirm/:token',
  'POST /github/link',
  'POST /github/unlink',
  'POST /hooks/git/:repository',
  'POST /hooks/github',
  'POST /hooks/stripe',
  'POST /me/email/confirm',
  'POST /nodes/join',
  // It answers a stream: run.test.ts.
  'POST /projects/:name/run',
  'POST /projects/:name/domains/:domain/certificate/refresh',
  // These need a PostgreSQL server for projects: databases.test.ts.
  'POST /projects/:name/database',
  'DELETE /projects/:name/database',
  'POST /projects/:name/database/load',
  'PATCH /projects/:name/database',
  'POST /projects/:name/database/rows',
]

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex')], 100)
const gzip = { 'content-type': 'application/gzip' }

onEveryServer(server => {
  const called = new Set<ChangeKey>()
  const auditIds = new Set<string>()

  /** A move from one owner to another is in the logs of both. */
  async function newActions(): Promise<string[]> {
    const rows = await server().running.platform.store.db.selectFrom('audit').selectAll().execute()
    const added = rows.filter(({ id }) => !auditIds.has(id))
    for (const { id } of added) auditIds.add(id)
    return [...new Set(added.map(({ action }) => action))]
  }

  /** Calls an endpoint, which must succeed and write what its row says. */
  async function change(key: ChangeKey, call: Call = {}): Promise<HttpAnswer['json']> {
    const [method = '', path = ''] = key.split(' ')
    const target = path.replace(/:(\w+)/g, (_, name: string) => call.params?.[name] ?? '')
    const { body, who, headers } = call
    await newActions()
    const options = { method, body, token: who?.token, headers: headers ?? {} }
    const answer = await server().request(target + (call.query ?? ''), options)
    expect([200, 201, 202], `${key}: ${answer.text}`).toContain(answer.status)
    const { audit } = endpoints[key]
    expect(await newActions(), key).toEqual(audit.length > 1 ? [call.action] : audit)
    called.add(key)
    return answer.json
  }

  it('of accounts, tokens and their billing, joining an org and the ways to sign in are logged', async () => {
    const team = await makeTeam(server())
    const invite = await change('POST /orgs/:name/invites', {
      params: { name: team.org },
      body: { email: 'new@example.com' },
      who: team.admin,
    })
    const password = 'a long password'
    const login = freshName()
    const account = { login, password, invite_token: secretOf(invite.invite_url) }
    await change('POST /auth/signup', { body: account })
    const session = await change('POST /auth/signin', { body: { login, password } })
    const who = { ...team.outsider, login, token: session.token }
    const new_password = 'another long password'
    await change('PUT /me/password', { body: { current_password: password, new_password }, who })
    const confirmed = { body: { password: new_password }, who }
    await change('PUT /me/email', { body: { email: 'new@example.com', password: new_password }, who })
    const { secret } = await change('POST /me/totp', confirmed)
    const code = new AuthenticatorApp(secret).code(server().clock.now())
    const { recovery_codes } = await change('POST /me/totp/enable', { body: { code }, who })
    const { challenge } = await change('POST /auth/signin', { body: { login, password: new_password } })
    const recovery = {
      body: { challenge, code: recovery_codes[0] },
      action: 'account.recovery-code',
    } as const
    await change('POST /auth/signin/code', recovery)
    await change('POST /me/recovery-codes', confirmed)
    await change('POST /me/totp/disable', confirmed)
    const device = new PasskeyDevice(server().running.urls.dashboard)
    const credential = device.create(await change('POST /me/passkeys/options', confirmed))
    const passkey = await change('POST /me/passkeys', { body: { name: 'Laptop', credential }, who })
    const signed = device.get(await change('POST /auth/passkey/options'))
    await change('POST /auth/passkey', { body: { credential: signed } })
    await change('PATCH /me/passkeys/:id', { params: { id: passkey.id }, body: { name: 'Desk' }, who })
    await change('POST /me/passkeys/challenge', { who })
    await change('POST /me/passkeys/:id/remove', { params: { id: passkey.id }, ...confirmed })
    const token = await change('POST /tokens', { body: { kind: 'cli' }, who })
    await change('DELETE /tokens/:id', { params: { id: token.id }, who })
    for (const decision of ['approve', 'deny'] as const) {
      const { user_code } = await change('POST /auth/device')
      await change(`POST /auth/device/${decision}`, { body: { user_code }, who })
    }
    const archive = archiveOf({ 'index.html': 'hi' })
    const share = await change('POST /shares', { body: archive, headers: gzip, query: '?ttl=1', who })
    await change('DELETE /shares/:name', { params: { name: share.name }, who })
    const { checkout_url } = await change('POST /billing/checkout', { body: { plan: 'pro' }, who })
    await change('POST /pay/:session', {
      params: { session: checkout_url.split('/').at(-1) },
      body: 'choice=pay',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    await change('POST /billing/change-plan', { body: { plan: 'business' }, who })
    await change('POST /billing/cancel', { who })
    await change('POST /billing/resume', { who })
    await change('POST /billing/portal', { who })
    await change('PUT /billing/profile', { body: { name: 'Ada' }, who })
    await change('POST /auth/signout', { who })
    const { token: last } = await change('POST /auth/signin', { body: { login, password: new_password } })
    await change('DELETE /me', { ...confirmed, who: { ...who, token: last } })
    const { token: kept } = await change('POST /auth/signin', { body: { login, password: new_password } })
    await change('POST /me/keep', { who: { ...who, token: kept } })
  })

  it('the log of an account says what the operator changed about it', async () => {
    const who = await platformAdmin(server())
    const { login } = await server().account()
    const call = { who, params: { login } }
    const key = 'PATCH /admin/users/:login'
    await change(key, { ...call, body: { disabled: true }, action: 'account.disable' })
    await change(key, { ...call, body: { disabled: false }, action: 'account.enable' })
    await change(key, { ...call, body: { admin: true }, action: 'account.admin-on' })
    await change(key, { ...call, body: { admin: false }, action: 'account.admin-off' })
    await change('PATCH /admin/limits/:owner', { who, params: { owner: login }, body: { projects: 5 } })
    await change('PUT /admin/users/:login/suspension', { ...call, body: { reason: 'Spam' } })
    await change('DELETE /admin/users/:login/suspension', call)
    await change('DELETE /admin/users/:login', { ...call, body: { confirm: login } })
    await change('POST /admin/users/:login/keep', call)
    const name = freshName()
    await change('POST /projects', { who, body: { name } })
    await change('PUT /admin/projects/:name/suspension', { who, params: { name }, body: { reason: 'Spam' } })
    await change('DELETE /admin/projects/:name/suspension', { who, params: { name } })
    const { id } = await change('POST /admin/invites', { who, body: {} })
    await change('DELETE /admin/invites/:id', { who, params: { id } })
    await change('POST /admin/checks', { who })
    await change('PATCH /admin/settings', { who, body: { changes: { SVCD_SIGNUPS: 'closed' } } })
    await change('PATCH /admin/settings', { who, body: { changes: { SVCD_SIGNUPS: null } } })
    const { db } = server().running.platform.store
    const later = server().clock.now() + 3_600_000
    await enqueue(db, 'compress', { id: 'dep_none' }, { now: later })
    const { jobs } = (await server().request('/admin/jobs', { token: who.token })).json
    await change('POST /admin/jobs/:id/retry', { who, params: { id: jobs[0].id } })
    await enqueue(db, 'compress', { id: 'dep_other' }, { now: later + 1, runAt: later })
    const again = (await server().request('/admin/jobs', { token: who.token })).json.jobs
    await change('DELETE /admin/jobs/:id', { who, params: { id: again[0].id } })
  })

  it('an org logs its members, invites, tokens, installations and billing', async () => {
    const { owner, admin, member, outsider } = await makeTeam(server())
    const name = freshName()
    const params = { name }
    await change('POST /orgs', { body: { name }, who: owner })
    await change('PATCH /orgs/:name', { params, body: { display_name: 'Acme' }, who: owner })
    const hook = { kind: 'webhook', address: 'http://127.0.0.1:9999/hook' }
    const target = await change('POST /orgs/:name/notifications', { params, body: hook, who: owner })
    const sends = { name, id: target.id }
    const only = { events: ['cron.failed'] }
    await change('PATCH /orgs/:name/notifications/:id', { params: sends, body: only, who: owner })
    const test = await change('POST /orgs/:name/notifications/:id/test', { params: sends, who: owner })
    const again = { params: { ...sends, delivery: test.id }, who: owner }
    await change('POST /orgs/:name/notifications/:id/deliveries/:delivery/resend', again)
    await change('DELETE /orgs/:name/notifications/:id', { params: sends, who: owner })
    await change('PUT /orgs/:name/icon', { params, body: png, who: owner })
    await change('DELETE /orgs/:name/icon', { params, who: owner })
    const invite = (who: Person) =>
      change('POST /orgs/:name/invites', { params, body: { email: `${who.login}@example.com` }, who: owner })
    const { id } = await invite(outsider)
    await change('POST /orgs/:name/invites/:id/resend', { params: { name, id }, who: owner })
    await change('DELETE /orgs/:name/invites/:id', { params: { name, id }, who: owner })
    const token = secretOf((await invite(member)).invite_url)
    await change('POST /invites/:token/accept', { params: { token }, who: member })
    const params2 = { name, login: member.login }
    await change('PUT /orgs/:name/members/:login', { params: params2, body: { role: 'admin' }, who: owner })
    await change('DELETE /orgs/:name/members/:login', { params: params2, who: member })
    const made = await change('POST /orgs/:name/tokens', { params, body: { kind: 'deploy' }, who: owner })
    await change('DELETE /orgs/:name/tokens/:id', { params: { name, id: made.id }, who: owner })
    const { json } = await server().request('/github', { token: owner.token })
    const installation_id = json.installations[0].id
    await change('POST /orgs/:name/installations', { params, body: { installation_id }, who: owner })
    const shared = { name, id: String(installation_id) }
    await change('DELETE /orgs/:name/installations/:id', { params: shared, who: owner })

    const who = owner
    const page = await change('POST /orgs/:name/billing/checkout', { params, body: { plan: 'pro' }, who })
    await choose(server(), page.checkout_url, 'pay')
    const plan = (plan: string, action: AuditAction) =>
      change('POST /orgs/:name/billing/change-plan', { params, body: { plan }, who, action })
    await plan('business', 'billing.change-plan')
    await plan('free', 'billing.cancel')
    await change('POST /orgs/:name/billing/resume', { params, who })
    await change('POST /orgs/:name/billing/cancel', { params, who })
    await change('POST /orgs/:name/billing/portal', { params, who })
    await change('PUT /orgs/:name/billing/profile', { params, body: { name: 'Acme' }, who })
    const empty = freshName()
    await change('POST /orgs', { body: { name: empty }, who: admin })
    await change('DELETE /orgs/:name', { params: { name: empty }, who: admin })
  })

  it('a project logs its deployments, settings and jobs', async () => {
    const { org, owner: who } = await makeTeam(server())
    const name = freshName()
    const params = { name }
    await change('POST /projects', { body: { name, org }, who })
    const other = freshName()
    await change('PATCH /projects/:name', { params, body: { retention: { preview_days: 30 } }, who })
    await change('PUT /projects/:name/node', { params, body: { node: '>=20' }, who })
    await change('POST /projects/:name/rename', { params, body: { name: other }, who })
    await change('POST /projects/:name/rename', { params: { name: other }, body: { name }, who })
    const upload = async (files: Record<string, string>, query = '') => {
      const call = { params, body: archiveOf(files), headers: gzip, query, who }
      return (await change('POST /projects/:name/deployments', call)).deployment_id
    }
    await change('POST /projects/:name/deployments/missing', { params, body: { sha256: [] }, who })
    const first = await upload({ 'index.html': 'one' })
    const preview = await upload({ 'index.html': 'two' }, '?branch=next')
    const path = '/projects/:name/deployments/:id' as const
    await change(`POST ${path}/promote`, { params: { name, id: preview }, who })
    await change(`POST ${path}/activate`, { params: { name, id: first }, who })
    await upload(procfileApp())
    await change(`DELETE ${path}`, { params: { name, id: first }, who })

    await change('POST /projects/:name/restart', { params, who })
    await change('POST /projects/:name/revalidate', { params, body: { paths: ['/'] }, who })
    const variable = { name, key: 'COLOR' }
    await change('PUT /projects/:name/env/:key', { params: variable, body: { value: 'red' }, who })
    await change('DELETE /projects/:name/env/:key', { params: variable, who })

    await change('PUT /projects/:name/disk', { params, body: {}, who })
    await change('PATCH /projects/:name/disk', { params, body: { preview_data: 'copy' }, who })
    const { db } = server().running.platform.store
    // An app has run with it.
    await db.updateTable('disks').set({ node_id: 'another' }).execute()
    await change('POST /projects/:name/disk/snapshots', { params, who })
    const disk = await db.selectFrom('disks').selectAll().executeTakeFirstOrThrow()
    const snapshot = {
      id: newId('snp'),
      disk_id: disk.id,
      reason: 'manual',
      bytes: 1,
      created_at: 1,
    } as const
    await db.insertInto('disk_snapshots').values(snapshot).execute()
    await db.updateTable('disks').set({ task: null }).execute()
    const restored = { params: { name, id: snapshot.id }, who }
    await change('POST /projects/:name/disk/snapshots/:id/restore', restored)
    await change('DELETE /projects/:name/disk', { params, who, query: `?confirm=${name}` })

    const domain = `www.${freshName()}.example`
    const attach = (branch: string | null, action: AuditAction) =>
      change('POST /projects/:name/domains', { params, body: { domain, branch }, who, action })
    await attach(null, 'domain.attach')
    await attach('next', 'domain.retarget')
    const ofDomain = { name, domain }
    const changeDomain = (body: object, action: AuditAction) =>
      change('PUT /projects/:name/domains/:domain', { params: ofDomain, body, who, action })
    await changeDomain({ branch: null }, 'domain.retarget')
    await changeDomain({ primary: true }, 'domain.primary')
    const bare = { domain: `bare-${domain}` }
    await change('POST /projects/:name/domains', { params, body: bare, who, action: 'domain.attach' })
    await change('PUT /projects/:name/domains/:domain', {
      params: { name, ...bare },
      body: { redirect_to: domain },
      who,
      action: 'domain.redirect',
    })
    await change('DELETE /projects/:name/domains/:domain', { params: ofDomain, who })

    const body = { schedule: '0 0 * * *', path: '/' }
    const cron = { name, id: (await change('POST /projects/:name/crons', { params, body, who })).id }
    const switchCron = (enabled: boolean, action: AuditAction) =>
      change('PATCH /projects/:name/crons/:id', { params: cron, body: { enabled }, who, action })
    await switchCron(false, 'cron.disable')
    await switchCron(true, 'cron.enable')
    const moved = { body: { path: '/other' }, action: 'cron.update' } as const
    await change('PATCH /projects/:name/crons/:id', { params: cron, who, ...moved })
    await change('POST /projects/:name/crons/:id/run', { params: cron, who })
    await change('DELETE /projects/:name/crons/:id', { params: cron, who })

    const hook = { kind: 'webhook', address: 'http://127.0.0.1:9999/hook' }
    const target = await change('POST /projects/:name/notifications', { params, body: hook, who })
    const sends = { name, id: target.id }
    const events = ['cron.failed']
    await change('PATCH /projects/:name/notifications/:id', { params: sends, body: { events }, who })
    const test = await change('POST /projects/:name/notifications/:id/test', { params: sends, who })
    const again = { params: { ...sends, delivery: test.id }, who }
    await change('POST /projects/:name/notifications/:id/deliveries/:delivery/resend', again)
    await change('DELETE /projects/:name/notifications/:id', { params: sends, who })

    await submit(server(), name, 'contact', { text: 'hello' })
    const form = { name, form: 'contact' }
    await change('PATCH /projects/:name/forms/:form', { params: form, body: { retention_days: 30 }, who })
    const { json } = await server().request(`/projects/${name}/forms/contact/submissions`, who)
    const submission = { ...form, id: json.submissions[0].id }
    await change('POST /projects/:name/forms/:form/read', { params: form, who })
    const marked = { params: submission, body: { spam: true }, who }
    await change('PATCH /projects/:name/forms/:form/submissions/:id', marked)
    await change('DELETE /projects/:name/forms/:form/submissions/:id', { params: submission, who })
    await change('DELETE /projects/:name/forms/:form', { params: form, who })

    await change('PUT /projects/:name/password', { params, body: { password: 'secret' }, who })
    await change('DELETE /projects/:name/password', { params, who })
    await change('PUT /projects/:name/access', { params, body: { mode: 'org' }, who })
    const host = `${name}.localhost`
    await change('POST /projects/:name/access/code', { params, body: { host }, who })
    await change('PUT /projects/:name/access', { params, body: { mode: 'public' }, who })
    const previews = { params, who, body: { mode: 'password', password: 'open sesame' } }
    await change('PUT /projects/:name/access/previews', previews)
    const shared = { params, who, body: { branch: 'next' } }
    const { id: link } = await change('POST /projects/:name/preview-links', shared)
    await change('DELETE /projects/:name/preview-links/:id', { params: { name, id: link }, who })
    await change('PUT /projects/:name/star', { params, who })
    await change('DELETE /projects/:name/star', { params, who })
    await change('POST /projects/:name/transfer', { params, body: { org: null }, who })
    await change('DELETE /projects/:name', { params, who })
  })

  it('a project that begins with a template logs its repository', async () => {
    const who = await server().account()
    const name = freshName()
    await change('POST /projects', { body: { name }, who })
    const params = { name }
    const { build_id } = await change('POST /projects/:name/template', {
      ...{ params, body: { template: 'html' }, who },
    })
    // The deployment of the build is in the audit log, too. It must not come during the next test.
    const build = `GET /projects/${name}/builds/${build_id}` as const
    await eventually(async () => (await send(server(), build, who)).json.status === 'succeeded')
  })

  it('a repository logs its end', async () => {
    const { owner: who, name, repo } = await newGitProject(server())
    await change('DELETE /projects/:name/repo', { params: { name }, who })
    const [owner = '', own = ''] = repo.split('/')
    await change('DELETE /repos/:owner/:repo', { params: { owner, repo: own }, who })
  })

  it('a project that is built from git logs its repository, its builds and its deploy hooks', async () => {
    const { owner: who, name, repo, copy, push } = await newGitProject(server())
    const params = { name }
    await copy.commit({ 'index.html': 'hi' }, 'first [skip ci]')
    await push('main')
    await change('DELETE /projects/:name/repo', { params, who })
    const settings = { repo, install_cmd: 'true', build_cmd: 'sleep 600' }
    await change('POST /projects/:name/repo', { params, body: settings, who })
    const { id } = await change('POST /projects/:name/builds', { params, body: {}, who })
    await change('POST /projects/:name/builds/:id/cancel', { params: { name, id }, who })
    const again = await change('POST /projects/:name/builds', { params, body: {}, who })
    await change('POST /admin/builds/:id/cancel', {
      ...{ params: { id: again.id }, who: await platformAdmin(server()) },
    })
    await change('PUT /projects/:name/production-lock', { params, who })
    await change('DELETE /projects/:name/production-lock', { params, who })
    const hook = await change('POST /projects/:name/hooks', { params, body: { name: 'CMS' }, who })
    const secret = hook.url.split('/').at(-1)
    await change('POST /hooks/deploy/:secret', { params: { secret } })
    await change('DELETE /projects/:name/hooks/:id', { params: { name, id: hook.id }, who })
    await change('POST /projects/:name/builds/:id/rebuild', { params: { name, id }, who })
    await copy.remove()
  })

  it('every endpoint that changes something is called', () => {
    expect([...called, ...calledElsewhere].sort()).toEqual([...changes].sort())
  })
})
