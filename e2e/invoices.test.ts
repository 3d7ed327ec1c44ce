// Kills the server after a payment, before its invoice is delivered: nothing is lost, and nothing comes twice.
import { createClient } from '@svc/contract/client'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { attachmentOf, startMailServer } from '@svc/server/dist/testing/mail-server.js'
import { readPdf } from '@svc/server/dist/testing/pdf.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'

describe.each(['sqlite', 'postgres'])('on %s', engine => {
  test('a paid invoice is made into a PDF and emailed once, also if the server is killed before', async () => {
    const mail = await startMailServer()
    const database = engine === 'postgres' ? await freshPostgres() : undefined
    const machine = await Machine.make({
      SVCD_SMTP_URL: mail.url,
      SVCD_SELLER_NAME: 'Acme Hosting B.V.',
      ...(database && { SVCD_DATABASE_URL: database.url }),
    })
    let svcd: Svcd | undefined
    onTestFinished(async () => {
      await svcd?.stop('SIGKILL')
      await machine.remove()
      await database?.drop()
      await mail.stop()
    })
    // Without the worker, which would deliver the invoice at once.
    svcd = await machine.start('--role', 'api,edge')
    const token = await machine.token('ada')
    let call = createClient({ baseUrl: svcd.url, token })
    await call('PUT /billing/profile', { body: { name: 'Ada & Co', email: 'ada@example.com' } })
    const { checkout_url } = await call('POST /billing/checkout', { body: { plan: 'pro' } })
    const body = new URLSearchParams({ choice: 'pay' })
    await fetch(checkout_url, { method: 'POST', body, redirect: 'manual' })
    const [before] = (await call('GET /billing')).invoices
    expect(before).toMatchObject({ kind: 'invoice', has_document: false })
    const params = { id: before!.id }
    await expect(call('GET /billing/invoices/:id/pdf', { params })).rejects.toMatchObject({
      code: 'not_found',
    })
    await svcd.stop('SIGKILL')

    svcd = await machine.start()
    call = createClient({ baseUrl: svcd.url, token })
    await eventually(async () => mail.taken.length > 0)
    const { invoices } = await call('GET /billing')
    expect(invoices).toEqual([{ ...before, has_document: true }])
    const { url } = await call('GET /billing/invoices/:id/pdf', { params })
    const pdf = Buffer.from(await (await fetch(url)).arrayBuffer())
    expect((await readPdf(pdf)).pages[0]!.text).toContain('Ada & Co')
    expect(mail.taken.map(({ to }) => to)).toEqual([['ada@example.com']])
    expect(attachmentOf(mail.taken[0]!.raw).content).toEqual(pdf)
  }, 300_000)
})
