// The settings that operators change in the dashboard.
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { platformAdmin } from '../testing/admins.ts'
import { StandIn } from '../testing/github/stand-in.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'

const github = await StandIn.start()
afterAll(() => github.remove())

const settingOf = async (server: TestServer, admin: { token: string }, name: string) => {
  const { json } = await send(server, 'GET /admin/settings', admin)
  return json.sections
    .flatMap(({ settings }: { settings: { name: string }[] }) => settings)
    .find((setting: { name: string }) => setting.name === name)
}

const change = (server: TestServer, admin: { token: string }, changes: Record<string, string | null>) =>
  send(server, 'PATCH /admin/settings', admin, { changes })

onEveryServer(
  server => {
    it('only platform admins see and change the settings', async () => {
      // The first account is an admin.
      await server().account()
      const who = await server().account()
      expect(refusal(await send(server(), 'GET /admin/settings', who))).toBe('403 forbidden')
      expect(refusal(await change(server(), who, { SVCD_SIGNUPS: 'open' }))).toBe('403 forbidden')
      expect(refusal(await send(server(), 'POST /admin/settings/restart', who))).toBe('403 forbidden')
    })

    it('a setting is changed at once, kept sealed, and taken back', async () => {
      const admin = await platformAdmin(server())
      expect(await settingOf(server(), admin, 'SVCD_SIGNUPS')).toMatchObject({
        ...{ value: 'invite', source: 'default', is_set: false, takes_effect: 'at once', pending: false },
        options: ['open', 'invite', 'closed'],
      })
      const changed = await change(server(), admin, { SVCD_SIGNUPS: 'closed' })
      expect(changed.json.restart.needed).toBe(false)
      expect(await settingOf(server(), admin, 'SVCD_SIGNUPS')).toMatchObject({
        ...{ value: 'closed', source: 'dashboard', is_set: true, pending: false },
      })
      expect((await send(server(), 'GET /admin/overview', admin)).json.signups).toBe('closed')
      const { db } = server().running.platform.store
      const row = await db.selectFrom('operator_settings').selectAll().executeTakeFirstOrThrow()
      expect(Buffer.from(row.sealed, 'base64').toString('latin1')).not.toContain('closed')
      await change(server(), admin, { SVCD_SIGNUPS: null })
      expect((await send(server(), 'GET /admin/overview', admin)).json.signups).toBe('invite')
      expect(await db.selectFrom('operator_settings').selectAll().execute()).toEqual([])
    })

    it('a setting of the environment wins, and is not changed in the dashboard', async () => {
      const admin = await platformAdmin(server())
      expect(await settingOf(server(), admin, 'SVCD_LIMIT_PROJECTS')).toMatchObject({
        ...{ value: '3', source: 'environment' },
      })
      const refused = await change(server(), admin, { SVCD_LIMIT_PROJECTS: '5' })
      expect(refusal(refused)).toBe('400 invalid_request')
      expect(refused.json.error.message).toContain('is set by the environment, which wins')
    })

    it('what svcd could not start with is refused, and nothing of it is stored', async () => {
      const admin = await platformAdmin(server())
      const wrong: [Record<string, string>, string][] = [
        [{ SVCD_SIGNUPS: 'sometimes' }, 'SVCD_SIGNUPS must be one of open, invite, closed'],
        [{ SVCD_FORGE: 'github' }, 'SVCD_GITHUB_APP_ID is missing'],
        [{ SVCD_BACKUP_URL: 's3://key:secret@backups' }, 'SVCD_BACKUP_PASSPHRASE is missing'],
        [{ SVCD_BACKUP_SCHEDULE: 'now and then' }, 'SVCD_BACKUP_SCHEDULE must be hourly'],
        [{ SVCD_AI_KEY: 'a key' }, 'SVCD_AI_UPSTREAM is missing'],
        [{ SVCD_ACME_EAB_KEY_ID: 'abc' }, 'SVCD_ACME_EAB_KEY is missing'],
      ]
      for (const [changes, message] of wrong) {
        const refused = await change(server(), admin, { SVCD_ACCOUNT_GRACE_DAYS: '9', ...changes })
        expect(refusal(refused)).toBe('400 invalid_request')
        expect(refused.json.error.message).toContain(message)
      }
      expect(await settingOf(server(), admin, 'SVCD_ACCOUNT_GRACE_DAYS')).toMatchObject({ is_set: false })
    })

    it('settings that reach the machine, its keys or its network are not among them', async () => {
      const admin = await platformAdmin(server())
      const ofServer = [
        ...[
          'SVCD_DNS01_HOOK',
          'SVCD_DATA_DIR',
          'SVCD_DATABASE_URL',
          'SVCD_SECRET_KEY',
          'SVCD_UNSANDBOXED_APPS',
        ],
        ...['SVCD_ALLOW_PRIVATE_TARGETS', 'SVCD_AI_UPSTREAMS_FILE', 'SVCD_NONSENSE', '__proto__'],
      ]
      for (const name of ofServer) {
        const refused = await change(server(), admin, JSON.parse(`{"${name}":"1"}`))
        expect([name, refusal(refused)]).toEqual([name, '400 invalid_request'])
      }
    })

    it('a secret is stored and never answered, and what needs a restart says so', async () => {
      const admin = await platformAdmin(server())
      const url = 'smtp://mailer:hush-hush@127.0.0.1:1'
      const answers = [
        await change(server(), admin, { SVCD_SMTP_URL: url, SVCD_AI_UPSTREAM: 'https://ai.example/v1' }),
        await send(server(), 'GET /admin/settings', admin),
      ]
      for (const { text, json } of answers) {
        expect(text).not.toContain('hush')
        expect(json.restart).toEqual({ needed: true, possible: false })
      }
      expect(await settingOf(server(), admin, 'SVCD_SMTP_URL')).toMatchObject({
        ...{ is_secret: true, is_set: true, value: null, source: 'dashboard', pending: false },
      })
      expect(await settingOf(server(), admin, 'SVCD_AI_UPSTREAM')).toMatchObject({
        ...{ takes_effect: 'restart', pending: true, value: 'https://ai.example/v1' },
      })
      const restart = await send(server(), 'POST /admin/settings/restart', admin)
      expect(refusal(restart)).toBe('503 unavailable')
      await change(server(), admin, { SVCD_SMTP_URL: null, SVCD_AI_UPSTREAM: null })
      expect((await send(server(), 'GET /admin/settings', admin)).json.restart.needed).toBe(false)
    })

    it('a test mail is sent with settings that are not stored yet, and then the stored ones send', async () => {
      const admin = await platformAdmin(server())
      const { db } = server().running.platform.store
      await db.updateTable('accounts').set({ email: 'op@example.com' }).where('id', '=', admin.id).execute()
      const mail = await startMailServer()
      onTestFinished(() => mail.stop())
      const test = (changes: Record<string, string>) =>
        send(server(), 'POST /admin/settings/test-mail', admin, { changes })
      const without = await test({})
      expect(without.json.error.message).toBe('SVCD_SMTP_URL: name a mail server first.')
      const changes = { SVCD_SMTP_URL: mail.url, SVCD_MAIL_FROM: 'Ops <ops@example.com>' }
      expect((await test(changes)).json).toEqual({ to: 'op@example.com' })
      expect(mail.taken[0]).toMatchObject({ to: ['op@example.com'] })
      expect(mail.taken[0]!.raw).toContain('From: Ops <ops@example.com>')
      const wrong = await test({ SVCD_SMTP_URL: 'smtp://127.0.0.1:1' })
      expect(wrong.json.error.message).toContain('The mail server refused: ')
      expect(server().running.platform.mailer.isConfigured).toBe(false)
      await change(server(), admin, changes)
      expect(server().running.platform.mailer.isConfigured).toBe(true)
      await change(server(), admin, { SVCD_SMTP_URL: null, SVCD_MAIL_FROM: null })
      expect(server().running.platform.mailer.isConfigured).toBe(false)
    })
  },
  { SVCD_BILLING: 'off', SVCD_LIMIT_PROJECTS: '3' },
)

onEveryServer(
  server => {
    it('an operator makes the GitHub App, and its keys are stored', async () => {
      const admin = await platformAdmin(server())
      const begun = await send(server(), 'POST /admin/settings/github', admin, { org: 'acme' })
      const url = new URL(begun.json.url)
      expect(url.origin + url.pathname).toBe(`${github.url}/organizations/acme/settings/apps/new`)
      const { redirect_url, hook_attributes, default_permissions, default_events } = JSON.parse(
        begun.json.manifest,
      )
      expect(redirect_url).toMatch(/\/admin\/settings\/github$/)
      expect(hook_attributes.url).toMatch(/\/hooks\/github$/)
      expect({ permissions: default_permissions, events: default_events }).toEqual(github.appSettings)
      const state = url.searchParams.get('state')!
      const finish = (who: { token: string }, body: object) =>
        send(server(), 'POST /admin/settings/github/finish', who, body)
      expect(refusal(await finish(admin, { code: 'stolen', state: `${Date.now() + 1_000}.x` }))).toBe(
        '400 invalid_request',
      )
      const another = await platformAdmin(server())
      expect(refusal(await finish(another, { code: 'fresh', state }))).toBe('400 invalid_request')
      expect(refusal(await finish(admin, { code: 'unknown', state }))).toBe('400 invalid_request')
      github.manifestCodes.add('fresh')
      const done = await finish(admin, { code: 'fresh', state })
      expect(done.json).toEqual({
        slug: 'svc-test',
        page: `${github.url}/organizations/acme/settings/apps/svc-test`,
      })
      const { text, json } = await send(server(), 'GET /admin/settings', admin)
      expect(json.restart.needed).toBe(true)
      for (const secret of [...github.secrets, github.webhookSecret, 'BEGIN'])
        expect(text).not.toContain(secret)
      expect(await settingOf(server(), admin, 'SVCD_FORGE')).toMatchObject({
        value: 'builtin,github',
        pending: true,
      })
      expect(await settingOf(server(), admin, 'SVCD_GITHUB_PRIVATE_KEY')).toMatchObject({
        is_set: true,
        is_long: true,
      })
      const names = (
        await server().running.platform.store.db.selectFrom('operator_settings').select('name').execute()
      ).map(({ name }) => name)
      const forget = Object.fromEntries(names.map(name => [name, null]))
      expect(
        (await send(server(), 'PATCH /admin/settings', admin, { changes: forget })).json.restart.needed,
      ).toBe(false)
      expect(github.complaints).toEqual([])
    })
  },
  { SVCD_GITHUB_URL: github.url },
)
