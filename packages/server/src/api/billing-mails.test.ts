import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noticeBandwidth } from '../core/billing/notices.ts'
import { buy, day, passTime } from '../testing/billing.ts'
import { databases } from '../testing/databases.ts'
import { eventually } from '../testing/eventually.ts'
import { type MailServer, startMailServer } from '../testing/mail-server.ts'
import { send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'

const GB = 1024 ** 3

describe.each(databases())('emails about billing on %s', engine => {
  let mails: MailServer
  let server: TestServer
  beforeAll(async () => {
    mails = await startMailServer()
    server = await TestServer.start(engine, { SVCD_SMTP_URL: mails.url })
  })
  afterAll(async () => {
    await server?.remove()
    await mails?.stop()
  })

  async function personWithEmail() {
    const who = await server.account()
    const email = `${who.login}@example.com`
    const { db } = server.running.platform.store
    await db.updateTable('accounts').set({ email }).where('id', '=', who.id).execute()
    return { ...who, email }
  }
  const subjectsTo = (email: string): string[] =>
    mails.taken
      .filter(({ to, raw }) => to.includes(email) && !raw.includes('application/pdf'))
      .map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? '')

  it('tell of a declined renewal at each try, and of the end', async () => {
    const who = await personWithEmail()
    await buy(server, who, { choice: 'pay-once' })
    for (const [i, days] of [31, 1, 2, 4].entries()) {
      await passTime(server, days * day + 60_000)
      // Mails of several days that are sent at the same time arrive in any order.
      await eventually(async () => subjectsTo(who.email).length > i)
    }
    expect(subjectsTo(who.email)).toEqual([
      ...Array(3).fill(`The payment for ${who.login} failed`),
      `The plan Pro of ${who.login} has ended`,
    ])
  })

  it('come at 80 and 100 % of the bandwidth, once each a month, and the site is served on', async () => {
    const who = await personWithEmail()
    const { platform } = server.running
    const { json: project } = await send(server, 'POST /projects', who, { name: `${who.login}-s` })
    const row = (hour: number, bytes: number) => ({
      ...{ project_id: project.id, hour, bytes, requests: 1, cache_hits: 0, status_2xx: 1, status_3xx: 0 },
      ...{ status_4xx: 0, status_5xx: 0, status_other: 0, pageviews: 0, visitors: 0, lost: 0 },
    })
    const now = server.clock.now()
    const hour = now - (now % 3_600_000)
    await platform.store.db
      .insertInto('stats_hours')
      .values(row(hour, 79 * GB))
      .execute()
    await noticeBandwidth(platform)
    const use = (bytes: number) =>
      platform.store.db
        .updateTable('stats_hours')
        .set({ bytes })
        .where('project_id', '=', project.id)
        .execute()
    for (const gigabytes of [80, 90, 100, 120]) {
      await use(gigabytes * GB)
      await Promise.all([noticeBandwidth(platform), noticeBandwidth(platform)])
    }
    await eventually(async () => subjectsTo(who.email).length >= 2)
    // Several emails go out at once, in any order.
    expect(subjectsTo(who.email).sort()).toEqual([
      `${who.login} has used 80% of its bandwidth`,
      `${who.login} has used all of its bandwidth`,
    ])
    const { json } = await send(server, 'GET /billing', who)
    expect(json.usage.bandwidth_bytes).toBe(120 * GB)
    server.clock.advance(32 * day)
    await noticeBandwidth(platform)
    expect((await send(server, 'GET /billing', who)).json.usage.bandwidth_bytes).toBe(0)
    expect(subjectsTo(who.email).length).toBe(2)
  })
})
