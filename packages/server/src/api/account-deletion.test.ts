// Deletes accounts: the grace time, what goes and what stays, who is refused, and the export.
import { dayMs, minuteMs } from '@svc/contract/durations'
import { afterAll, describe, expect, it } from 'vitest'
import { changePassword } from '../core/identity/password-change.ts'
import { sweep } from '../core/platform/sweep.ts'
import { platformAdmin, setOnlyAdmins } from '../testing/admins.ts'
import { buy, overviewOf, passTime } from '../testing/billing.ts'
import { eventually } from '../testing/eventually.ts'
import { submitJson } from '../testing/forms.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'
import { bringIn, freshName, makeTeam, type Person } from '../testing/team.ts'

const password = 'correct horse battery'
const mail = await startMailServer()
afterAll(() => mail.stop())

onEveryServer(
  server => {
    const rows = () => server().running.platform.store.db
    async function withPassword(account: Person): Promise<Person> {
      await changePassword(server().running.platform, account.login, password)
      return account
    }
    const someone = async () => withPassword(await server().account())
    const remove = (who: Person, confirmation: object = { password }) =>
      send(server(), 'DELETE /me', who, confirmation)
    async function signIn({ login }: Person) {
      const answer = await send(server(), 'POST /auth/signin', undefined, { login, password })
      return { answer, token: answer.json.token as string }
    }
    const statusOf = async (label: string) => (await server().site(label)).status
    const exists = async (table: 'accounts' | 'orgs' | 'projects', id: string) =>
      (await rows().selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()) !== undefined

    /** The steps of a sweep must not fail. */
    async function runSweep() {
      const steps = await sweep(server().running.platform)
      const step = steps.find(({ name }) => name === 'deleted accounts')
      if (step?.error !== undefined) throw step.error
    }
    async function afterGrace() {
      server().clock.advance(7 * dayMs)
      await runSweep()
    }

    describe('DELETE /me', () => {
      it('needs the password, takes the sites offline and ends sessions and tokens at once', async () => {
        await platformAdmin(server())
        const who = await someone()
        const name = await deploySite(server(), who.token, { 'index.html': 'here' })
        expect(refusal(await remove(who, { password: 'wrong' }))).toBe('403 forbidden')
        expect(refusal(await remove(who, {}))).toBe('400 invalid_request')
        expect(await statusOf(name)).toBe(200)
        const answer = await remove(who)
        expect(answer.status).toBe(200)
        const left = Date.parse(answer.json.delete_at) - server().clock.now()
        expect(Math.round(left / dayMs)).toBe(7)
        expect(await statusOf(name)).toBe(503)
        expect((await server().site(name)).text).toContain('The owner has taken this site offline.')
        expect(refusal(await send(server(), 'GET /me', who))).toBe('401 unauthorized')
      })

      it('lets the owner sign in, read, and keep the account, but change nothing else', async () => {
        const who = await someone()
        const name = await deploySite(server(), who.token, { 'index.html': 'here' })
        await remove(who)
        const session = await signIn(who)
        const me = (await send(server(), 'GET /me', session)).json
        expect(me).toMatchObject({ delete_at: expect.any(String), delete_by: 'owner' })
        expect((await send(server(), `GET /projects/${name}`, session)).status).toBe(200)
        const refused = await send(server(), 'POST /projects', session, { name: freshName() })
        expect(refusal(refused)).toBe('403 forbidden')
        expect(refused.json.error.message).toContain(me.delete_at)
        expect((await send(server(), 'POST /me/keep', session)).json).toEqual({ ok: true })
        expect(await statusOf(name)).toBe(200)
        expect((await send(server(), 'GET /me', session)).json.delete_at).toBeUndefined()
        expect(refusal(await send(server(), 'POST /me/keep', session))).toBe('404 not_found')
        await afterGrace()
        expect(await exists('accounts', who.id)).toBe(true)
        expect(await statusOf(name)).toBe(200)
      })

      it('deletes everything at the end of the grace time, and frees the login and the names', async () => {
        const who = await someone()
        const name = await deploySite(server(), who.token, { 'index.html': 'here' })
        const org = freshName()
        const { id: orgId } = (await send(server(), 'POST /orgs', who, { name: org })).json
        const ofOrg = await deploySite(server(), who.token, { 'index.html': 'org' }, org)
        await submitJson(server(), name, 'contact', { text: 'hello' })
        await remove(who)
        expect([await statusOf(name), await statusOf(ofOrg)]).toEqual([503, 503])
        await runSweep()
        expect(await exists('accounts', who.id)).toBe(true)
        await afterGrace()
        expect([await exists('accounts', who.id), await exists('orgs', orgId)]).toEqual([false, false])
        expect([await statusOf(name), await statusOf(ofOrg)]).toEqual([404, 404])
        expect((await signIn(who)).answer.status).toBe(401)
        const again = await server().account(who.login)
        expect((await send(server(), 'POST /projects', again, { name })).status).toBe(201)
        expect((await send(server(), 'POST /orgs', again, { name: org })).status).toBe(201)
      })

      it('leaves the orgs of others: their sites, their tokens, and their log without the login', async () => {
        const team = await makeTeam(server())
        const who = await withPassword(await server().account())
        await bringIn(server(), team, who, 'owner')
        const site = await deploySite(server(), who.token, { 'index.html': 'org' }, team.org)
        const token = (
          await send(server(), `POST /orgs/${team.org}/tokens`, who, { kind: 'deploy', label: 'CI' })
        ).json
        expect((await remove(who)).status).toBe(200)
        expect(await statusOf(site)).toBe(200)
        await afterGrace()
        expect(await exists('accounts', who.id)).toBe(false)
        expect(await statusOf(site)).toBe(200)
        expect((await send(server(), 'GET /me', token)).json.org).toBe(team.org)
        const log = await send(server(), `GET /orgs/${team.org}/audit`, team.owner)
        expect(log.text).not.toContain(who.login)
        expect(log.json.entries).toContainEqual(
          expect.objectContaining({ action: 'project.create', actor: '(deleted account)', ip: null }),
        )
      })

      it('is refused to the only owner of an org with other members, who are told', async () => {
        const team = await makeTeam(server())
        await withPassword(team.owner)
        const refused = await remove(team.owner)
        expect(refusal(refused)).toBe('409 last_owner')
        expect(refused.json.error.message).toContain(team.org)
        expect((await send(server(), 'GET /me', team.owner)).json.delete_at).toBeUndefined()
      })

      it('of two owners of an org, only the first may go', async () => {
        const team = await makeTeam(server())
        const second = await server().account()
        await bringIn(server(), team, second, 'owner')
        await withPassword(team.owner)
        await withPassword(second)
        expect((await remove(team.owner)).status).toBe(200)
        expect(refusal(await remove(second))).toBe('409 last_owner')
        const leave = await send(server(), `DELETE /orgs/${team.org}/members/${second.login}`, second)
        expect(refusal(leave)).toBe('409 last_owner')
      })

      it('is refused to the last platform admin', async () => {
        const admin = await withPassword(await platformAdmin(server()))
        await setOnlyAdmins(server(), [admin.id])
        expect(refusal(await remove(admin))).toBe('409 last_admin')
        expect((await send(server(), 'GET /me', admin)).status).toBe(200)
      })

      it('cancels the paid plan, keeps its invoices, and is refused while a payment is overdue', async () => {
        const who = await someone()
        await buy(server(), who)
        await remove(who)
        const session = await signIn(who)
        expect((await overviewOf(server(), session)).subscription.status).toBe('cancelling')
        await afterGrace()
        const count = (table: 'invoices' | 'subscriptions') =>
          rows().selectFrom(table).select('owner_id').where('owner_id', '=', who.id).execute()
        expect([(await count('invoices')).length, (await count('subscriptions')).length]).toEqual([1, 0])
        const debtor = await someone()
        await buy(server(), debtor, { choice: 'pay-once' })
        await passTime(server(), 32 * dayMs)
        const refused = await remove(debtor)
        expect(refusal(refused)).toBe('409 payment_pending')
        expect(refused.json.error.message).toContain('/billing')
      })

      it('sends an email that says when, and how to keep the account', async () => {
        const who = await someone()
        const email = `${freshName()}@example.com`
        await rows().updateTable('accounts').set({ email }).where('id', '=', who.id).execute()
        const { delete_at } = (await remove(who)).json
        const sent = await eventually(() =>
          mail.taken
            .filter(({ to }) => to.includes(email))
            .map(({ raw }) => raw.replace(/=\r\n/g, ''))
            .find(raw => raw.includes('will be deleted')),
        )
        expect(sent).toContain(delete_at)
        expect(sent).toContain('you can keep the account or download its data: sign in at')
      })
    })

    describe('the operator', () => {
      const removeAs = async (login: string, body: object) =>
        send(server(), `DELETE /admin/users/${login}`, await platformAdmin(server()), body)

      it('deletes an account that then only the operator can keep', async () => {
        const who = await someone()
        const name = await deploySite(server(), who.token, { 'index.html': 'here' })
        expect(refusal(await removeAs(who.login, { confirm: 'other' }))).toBe('400 invalid_request')
        const { json } = await removeAs(who.login, { confirm: who.login })
        expect(json).toMatchObject({ login: who.login, delete_at: expect.any(String), disabled_at: null })
        const session = await signIn(who)
        expect(refusal(await send(server(), 'POST /me/keep', session))).toBe('403 forbidden')
        expect((await send(server(), 'GET /me/export', session)).text).toContain('"kind":"end"')
        const admin = await platformAdmin(server())
        const kept = await send(server(), `POST /admin/users/${who.login}/keep`, admin)
        expect(kept.json.delete_at).toBeNull()
        expect(await statusOf(name)).toBe(200)
      })

      it('deletes an account at once, also one that waits', async () => {
        const who = await someone()
        await deploySite(server(), who.token, { 'index.html': 'here' })
        await remove(who)
        expect((await removeAs(who.login, { confirm: who.login, now: true })).status).toBe(200)
        expect((await signIn(who)).answer.status).toBe(403)
        const admin = await platformAdmin(server())
        expect(refusal(await send(server(), `POST /admin/users/${who.login}/keep`, admin))).toBe(
          '404 not_found',
        )
        await runSweep()
        expect(await exists('accounts', who.id)).toBe(false)
      })

      it('who suspended an account keeps it suspended, whatever its owner does', async () => {
        const who = await someone()
        const name = await deploySite(server(), who.token, { 'index.html': 'here' })
        const admin = await platformAdmin(server())
        const path = `/admin/users/${who.login}/suspension` as const
        await send(server(), `PUT ${path}`, admin, { reason: 'Phishing', status: 451 })
        await remove(who)
        expect(await statusOf(name)).toBe(451)
        expect((await send(server(), `DELETE ${path}`, admin)).status).toBe(200)
        expect(await statusOf(name)).toBe(503)
        expect(refusal(await send(server(), `DELETE ${path}`, admin))).toBe('404 not_found')
        await send(server(), `PUT ${path}`, admin, { reason: 'Phishing', status: 451 })
        await send(server(), 'POST /me/keep', await signIn(who))
        expect(await statusOf(name)).toBe(451)
      })

      it('only platform admins delete accounts of others', async () => {
        const [who, other] = [await someone(), await someone()]
        const line = `DELETE /admin/users/${other.login}` as const
        expect(refusal(await send(server(), line, who, { confirm: other.login }))).toBe('403 forbidden')
      })
    })

    it('GET /me/export has every project with its settings, domains, submissions and log, and ends with a line that says so', async () => {
      const who = await someone()
      const name = await deploySite(server(), who.token, { 'index.html': 'here' })
      const domain = `${freshName()}.example.org`
      await send(server(), `POST /projects/${name}/domains`, who, { domain })
      await send(server(), `PUT /projects/${name}/env/KEY`, who, { value: 'sesame', secret: true })
      const texts = Array.from({ length: 60 }, (_, i) => `message ${i}`)
      for (const text of texts) {
        await submitJson(server(), name, 'contact', { text })
        server().clock.advance(minuteMs)
      }
      const other = await someone()
      await deploySite(server(), other.token, { 'index.html': 'not mine' })
      const answer = await send(server(), 'GET /me/export', who)
      expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
      const lines = answer.text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      const of = (kind: string) => lines.filter(line => line.kind === kind)
      expect(lines[0]).toMatchObject({ kind: 'account', id: who.id, gitforge_login: who.login })
      expect(of('project')).toEqual([
        expect.objectContaining({ name, type: 'static', domains: [expect.objectContaining({ domain })] }),
      ])
      expect(
        of('submission')
          .map(({ fields }) => fields.text)
          .sort(),
      ).toEqual(texts.sort())
      expect(of('env')).toEqual([expect.objectContaining({ project: name, key: 'KEY', value: null })])
      expect(of('deployment')).toHaveLength(1)
      expect(of('audit').map(({ action }) => action)).toContain('project.create')
      expect(answer.text).not.toContain('sesame')
      expect(lines.at(-1)).toEqual({ kind: 'end' })
    })
  },
  { SVCD_SMTP_URL: mail.url, SVCD_BILLING: 'sandbox' },
)
