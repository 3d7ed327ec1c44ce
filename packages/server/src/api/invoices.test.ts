import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { enqueue } from '../core/base/jobs.ts'
import { issueCreditNote, issueInvoice } from '../core/billing/invoices/issue.ts'
import { listInvoices } from '../core/billing/invoices/list.ts'
import { findInvoice } from '../store/billing/invoices.ts'
import { databases } from '../testing/databases.ts'
import { eventually } from '../testing/eventually.ts'
import { attachmentOf, type MailServer, startMailServer } from '../testing/mail-server.ts'
import { readPdf } from '../testing/pdf.ts'
import { refusal, send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { makeTeam, type Person } from '../testing/team.ts'

const minute = 60_000

describe.each(databases())('invoices on %s', engine => {
  let server: TestServer
  let mail: MailServer
  beforeAll(async () => {
    mail = await startMailServer()
    server = await TestServer.start(engine, {
      SVCD_SMTP_URL: mail.url,
      SVCD_SELLER_NAME: 'Acme Hosting B.V.',
      SVCD_SELLER_ADDRESS: 'Herengracht 1, 1015 BA Amsterdam, Netherlands',
      SVCD_SELLER_EMAIL: 'billing@acme.example',
      SVCD_LOG_LEVEL: 'silent',
    })
    return async () => {
      await server.remove()
      await mail.stop()
    }
  })

  const platform = () => server.running.platform
  const pay = (ownerId: string, net_cents = 2000) =>
    platform().store.transact((tx, changed) =>
      issueInvoice(platform(), tx, changed, {
        ownerId,
        paymentId: `pay_${randomBytes(8).toString('hex')}`,
        lines: [{ text: 'Plan Pro, 1 month', net_cents }],
        period: null,
        paidAt: server.clock.now(),
      }),
    )
  const stateOf = async (id: string) => await findInvoice(platform().store.db, id)
  const delivered = (id: string) => eventually(async () => (await stateOf(id))?.state === 'delivered')
  const mailsAbout = (number: string) =>
    mail.taken.filter(({ raw }) => raw.includes(`Subject: Invoice ${number} `))
  const newMailbox = () => `${randomBytes(6).toString('hex')}@example.com`

  /** An account that gets its invoices by email. */
  async function customer(): Promise<Person & { email: string }> {
    const email = newMailbox()
    const who = await server.account()
    await send(server, 'PUT /billing/profile', who, { name: 'Muster & Söhne', country: 'DE', email })
    return { ...who, email }
  }

  it('are made into a PDF, which a signed address returns for ten minutes', async () => {
    const who = await customer()
    const { id, number } = await pay(who.id)
    await delivered(id)
    expect(await listInvoices(platform().store.db, who.id)).toMatchObject([
      { id, number, kind: 'invoice', net_cents: 2000, vat_cents: 420, total_cents: 2420, has_document: true },
    ])
    const { status, json } = await send(server, `GET /billing/invoices/${id}/pdf`, who)
    expect(status).toBe(200)
    expect(Object.keys(json)).toEqual(['url'])
    const target = new URL(json.url).pathname
    const document = await server.request(target)
    expect(document.status).toBe(200)
    expect(document.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="invoice-${number}.pdf"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    const { pages } = await readPdf(document.body)
    for (const part of [
      number,
      'Acme Hosting B.V.',
      '1015 BA Amsterdam',
      'Muster & Söhne',
      '€24.20',
      'Plan Pro',
    ])
      expect(pages[0]!.text).toContain(part)
    server.clock.advance(10 * minute - 5_000)
    expect((await server.request(target)).status).toBe(200)
    server.clock.advance(5_001)
    expect(refusal(await server.request(target))).toBe('404 not_found')
  })

  it('are not shown by an address that was changed or made up', async () => {
    const [one, other] = [await customer(), await customer()]
    const [mine, theirs] = [await pay(one.id), await pay(other.id)]
    await Promise.all([delivered(mine.id), delivered(theirs.id)])
    const { json } = await send(server, `GET /billing/invoices/${mine.id}/pdf`, one)
    const [id = '', until = '', signature = ''] = json.url.split('/').at(-1).split('.')
    for (const token of [
      `${theirs.id}.${until}.${signature}`,
      `${id}.${Number(until) + 1}.${signature}`,
      `${id}.${until}.${signature.slice(1)}`,
      `${id}.${until}.${signature}.x`,
      `${id}.${until}.`,
      `${id}.Infinity.${signature}`,
      `${id}`,
      'x',
    ])
      expect([token, refusal(await server.request(`/invoices/${token}`))]).toEqual([token, '404 not_found'])
    expect((await server.request(`/invoices/${id}.${until}.${signature}`)).status).toBe(200)
  })

  it('of others, unknown ones and those without a PDF are 404', async () => {
    const [who, stranger] = [await customer(), await server.account()]
    const { id } = await pay(who.id)
    await delivered(id)
    expect(refusal(await send(server, `GET /billing/invoices/${id}/pdf`, stranger))).toBe('404 not_found')
    expect(refusal(await send(server, 'GET /billing/invoices/ivc_0000000000000000/pdf', who))).toBe(
      '404 not_found',
    )
    expect((await send(server, `GET /billing/invoices/${id}/pdf`)).status).toBe(401)
  })

  it('of an org are for its admins and owners, and go to an owner by email', async () => {
    const team = await makeTeam(server)
    const email = newMailbox()
    const { db } = platform().store
    await db.updateTable('accounts').set({ email }).where('id', '=', team.owner.id).execute()
    const org = (await send(server, `GET /orgs/${team.org}`, team.owner)).json
    const { id, number } = await pay(org.id)
    await delivered(id)
    const line = `GET /orgs/${team.org}/billing/invoices/${id}/pdf` as const
    const answers = [team.owner, team.admin, team.member, team.outsider].map(who => send(server, line, who))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 403, 404])
    // The org's invoice is not one of the owner's own.
    expect((await send(server, `GET /billing/invoices/${id}/pdf`, team.owner)).status).toBe(404)
    expect(mailsAbout(number).map(({ to }) => to)).toEqual([[email]])
  })

  it('are emailed once, with the PDF attached', async () => {
    const who = await customer()
    const { id, number } = await pay(who.id)
    await delivered(id)
    // The job again, as after a crash.
    await enqueue(platform().store.db, 'invoice', { id }, { now: 0 })
    const other = await pay(who.id)
    await delivered(other.id)
    const letters = mailsAbout(number)
    expect(letters.map(({ to }) => to)).toEqual([[who.email]])
    const { head, content } = attachmentOf(letters[0]!.raw)
    expect(head).toMatch(/application\/pdf/)
    expect(head).toContain(`invoice-${number}.pdf`)
    expect((await readPdf(content)).pages[0]!.text).toContain(number)
    expect(letters[0]!.raw).toContain(`Message-ID: <${id}@localhost>`)
    expect(await stateOf(id)).toMatchObject({ mailed_to: who.email })
  })

  it('go to the account’s own address if the details name none, and nowhere if it has none', async () => {
    const email = newMailbox()
    const [known, unknown] = [await server.account(), await server.account()]
    await platform().store.db.updateTable('accounts').set({ email }).where('id', '=', known.id).execute()
    const [one, other] = [await pay(known.id), await pay(unknown.id)]
    await Promise.all([delivered(one.id), delivered(other.id)])
    expect(mailsAbout(one.number).map(({ to }) => to)).toEqual([[email]])
    expect(mailsAbout(other.number)).toEqual([])
    expect(await stateOf(other.id)).toMatchObject({ mailed_to: null, mailed_at: null })
  })

  it('have their PDF while the mail server refuses, and are emailed once it takes them', async () => {
    const who = await customer()
    mail.refusals = 1
    const { id, number } = await pay(who.id)
    await eventually(async () => (await stateOf(id))?.state === 'rendered')
    expect((await send(server, `GET /billing/invoices/${id}/pdf`, who)).status).toBe(200)
    await eventually(async () => {
      server.clock.advance(minute)
      return (await stateOf(id))?.state === 'delivered'
    })
    expect(mailsAbout(number)).toHaveLength(1)
  })

  it('of one owner are emailed at most 20 times a day; the others wait', async () => {
    const who = await customer()
    const { store } = platform()
    const window_start = server.clock.now()
    await store.db
      .insertInto('rate_limits')
      .values({ key: `invoices of ${who.id}`, window_start, count: 20 })
      .execute()
    const { id, number } = await pay(who.id)
    await eventually(async () => {
      const job = await store.db.selectFrom('jobs').selectAll().where('key', '=', id).executeTakeFirst()
      return job !== undefined && job.run_at > server.clock.now() + 60 * minute
    })
    expect(await stateOf(id)).toMatchObject({ state: 'rendered' })
    expect(mailsAbout(number)).toEqual([])
    server.clock.advance(24 * 60 * minute)
    await delivered(id)
    expect(mailsAbout(number)).toHaveLength(1)
  })

  it('credit notes are delivered, too', async () => {
    const who = await customer()
    const invoice = await pay(who.id)
    const note = await platform().store.transact((tx, changed) =>
      issueCreditNote(platform(), tx, changed, {
        invoiceId: invoice.id,
        paymentId: `ref_${invoice.id}`,
        reason: 'cancelled within 14 days',
      }),
    )
    await delivered(note.id)
    const { json } = await send(server, `GET /billing/invoices/${note.id}/pdf`, who)
    const document = await server.request(new URL(json.url).pathname)
    expect(document.headers['content-disposition']).toContain(`credit-note-${note.number}.pdf`)
    const { text } = (await readPdf(document.body)).pages[0]!
    for (const part of [invoice.number, note.number, '−€24.20', 'Refund: cancelled within 14 days'])
      expect(text).toContain(part)
    expect(mail.taken.filter(({ raw }) => raw.includes(`Subject: Credit note ${note.number} `))).toHaveLength(
      1,
    )
  })

  it('of an org that was deleted since have credit notes that go to the address on the invoice', async () => {
    const team = await makeTeam(server)
    const email = newMailbox()
    await send(server, `PUT /orgs/${team.org}/billing/profile`, team.owner, { name: 'Acme', email })
    const org = (await send(server, `GET /orgs/${team.org}`, team.owner)).json
    const invoice = await pay(org.id)
    await delivered(invoice.id)
    expect((await send(server, `DELETE /orgs/${team.org}`, team.owner)).status).toBe(200)
    const note = await platform().store.transact((tx, changed) =>
      issueCreditNote(platform(), tx, changed, {
        invoiceId: invoice.id,
        paymentId: `ref_${invoice.id}`,
        reason: 'refunded',
      }),
    )
    await delivered(note.id)
    expect(await stateOf(note.id)).toMatchObject({ mailed_to: email })
    const { db } = platform().store
    const kept = await db.selectFrom('billing_profiles').selectAll().where('owner_id', '=', org.id).execute()
    expect(kept).toEqual([])
  })
})
