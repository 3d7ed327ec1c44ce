// The checks of DNS, HTTPS, mail and other services, in the operator area.
import { expect, it, onTestFinished } from 'vitest'
import { platformAdmin } from '../testing/admins.ts'
import { DnsServer } from '../testing/dns-server.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'

interface Check {
  name: string
  ok: boolean
  message: string
  advice: string | null
  checked_at: string
}

const byName = (checks: Check[]) => Object.fromEntries(checks.map(check => [check.name, check]))

onEveryServer(server => {
  it('the checks run when an admin asks, and their results are kept with the time', async () => {
    const admin = await platformAdmin(server())
    expect((await send(server(), 'GET /admin/checks', admin)).json).toEqual({ checks: [] })
    const [first, second] = await Promise.all([
      send(server(), 'POST /admin/checks', admin),
      send(server(), 'POST /admin/checks', admin),
    ])
    const { checks } = first.json as { checks: Check[] }
    expect(byName(checks)).toMatchObject({
      DNS: { ok: true, message: 'not needed for localhost', advice: null },
      HTTPS: { ok: true, message: expect.stringContaining('SVCD_TLS_PORT') },
      mail: { ok: true, message: expect.stringContaining('SVCD_SMTP_URL') },
      'certificate authority': { ok: true, message: expect.stringContaining('SVCD_ACME_DIRECTORY') },
      GitHub: { ok: true },
      payments: { ok: true },
    })
    expect(second.status).toBe(200)
    const kept = (await send(server(), 'GET /admin/checks', admin)).json.checks
    expect(kept.map(({ name }: Check) => name)).toEqual(checks.map(({ name }) => name))
  })
})

it('a failed check says what is wrong and what to do, without the password of the mail server', async () => {
  const dns = await DnsServer.start()
  const mail = await startMailServer()
  onTestFinished(() => dns.stop())
  dns.set('app.platform.test', { A: ['192.0.2.1'] })
  const server = await TestServer.start('sqlite', {
    SVCD_PLATFORM_DOMAIN: 'platform.test',
    SVCD_PUBLIC_SCHEME: 'https',
    SVCD_DNS_SERVERS: dns.address,
    SVCD_DNS_TARGET: 'edge.platform.test',
    SVCD_SMTP_URL: mail.url.replace('//', '//ada:hunter2secret@'),
    SVCD_ACME_DIRECTORY: 'https://127.0.0.1:1/directory',
    SVCD_LOG_LEVEL: 'silent',
  })
  onTestFinished(() => server.remove())
  // Nothing listens there any more.
  await mail.stop()
  const admin = await platformAdmin(server)
  const run = async () => byName((await send(server, 'POST /admin/checks', admin)).json.checks)
  const found = await run()
  expect(found.DNS).toMatchObject({
    ok: false,
    message: 'svcd-check.platform.test and edge.platform.test have no address in the DNS',
    advice: expect.stringContaining('*.platform.test'),
  })
  expect(found.HTTPS).toMatchObject({ ok: false, advice: expect.stringContaining('SVCD_TLS_PORT') })
  expect(found.mail).toMatchObject({ ok: false, advice: expect.stringContaining('SVCD_SMTP_URL') })
  expect(found['certificate authority']).toMatchObject({
    ok: false,
    advice: expect.stringContaining('SVCD_ACME_DIRECTORY'),
  })
  expect(JSON.stringify(found)).not.toContain('hunter2')
  for (const name of ['svcd-check', 'edge']) dns.set(`${name}.platform.test`, { A: ['192.0.2.1'] })
  const mended = await run()
  expect(mended.DNS).toMatchObject({ ok: true, advice: null, message: expect.stringContaining('192.0.2.1') })
})

it('a check that gets no answer ends in time', async () => {
  const dns = await DnsServer.start()
  onTestFinished(() => dns.stop())
  dns.isSilent = true
  const server = await TestServer.start('sqlite', {
    SVCD_PLATFORM_DOMAIN: 'platform.test',
    SVCD_DNS_SERVERS: dns.address,
  })
  onTestFinished(() => server.remove())
  const admin = await platformAdmin(server)
  const asked = send(server, 'POST /admin/checks', admin)
  await expect.poll(() => dns.asked.length).toBeGreaterThan(0)
  server.clock.advance(15_000)
  expect(byName((await asked).json.checks).DNS).toMatchObject({ ok: false, advice: expect.any(String) })
})
