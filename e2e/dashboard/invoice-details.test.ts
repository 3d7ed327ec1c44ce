// Invoice details in the dashboard: saved, checked with the registry, and printed on the next invoice.
import { readPdf } from '@svc/server/dist/testing/pdf.js'
import { startVies } from '@svc/server/dist/testing/vies.js'
import { afterAll, expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'
import { nameless } from './sanity.ts'

const vies = await startVies('DE136695976')
afterAll(() => vies.stop())
const dashboard = useDashboard({ SVCD_VIES_URL: vies.url, SVCD_SELLER_VAT_NUMBER: 'NL123456789B01' })

it('the dashboard saves invoice details, says what is wrong with a VAT number, and hands out the PDF', async () => {
  const ada = await dashboard.platform.person()
  const page = await dashboard.openAs(ada, '/billing')
  const form = page.getByRole('region', { name: 'Invoice details' })
  await form.getByText(/^Invoices have 21 % VAT/).waitFor()
  await form.getByLabel('Name').fill('Müller & Söhne GmbH')
  await form.getByLabel('Address').fill('Straße 1\n10623 Berlin')
  await form.getByLabel('Country').selectOption('Germany')
  await form.getByLabel('VAT number').fill('DE 111 111 111')
  const save = form.getByRole('button', { name: 'Save' })
  await save.click()
  await form.getByText(/does not know this VAT number/).waitFor()
  expect(await form.getByLabel('VAT number').getAttribute('aria-invalid')).toBe('true')
  await form.getByLabel('VAT number').fill('de 136.695.976')
  await form.getByLabel('Email for invoices').fill('nobody')
  await save.click()
  await form.getByText(/must be an email address/).waitFor()
  await form.getByLabel('Email for invoices').fill('ap@example.de')
  await save.click()
  await form.getByText(/^VAT is reverse-charged/).waitFor()
  expect(await form.getByLabel('VAT number').inputValue()).toBe('DE136695976')
  expect(await page.evaluate(nameless)).toEqual([])

  const call = dashboard.platform.client(ada.token)
  const { checkout_url } = await call('POST /billing/checkout', { body: { plan: 'pro' } })
  await page.goto(checkout_url)
  await page.getByRole('button', { name: /^Pay/ }).first().click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    // It appears once the PDF is made.
    page.getByRole('button', { name: /^PDF of invoice/ }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^invoice-TEST-\d{4}-\d{6}\.pdf$/)
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  const { text } = (await readPdf(Buffer.concat(chunks))).pages[0]!
  for (const part of ['Müller & Söhne GmbH', 'DE136695976', 'NL123456789B01', 'VAT reverse charged'])
    expect(text).toContain(part)
}, 300_000)

it('the dashboard shows the invoice details of an org to its admins, and lets its owners change them', async () => {
  const { platform } = dashboard
  const [ada, ben] = [await platform.person(), await platform.person()]
  const call = platform.client(ada.token)
  const params = { name: `org-${ben.login}`.slice(0, 30).replace(/-$/, '') }
  await call('POST /orgs', { body: params })
  const { invite_url } = await call('POST /orgs/:name/invites', {
    params,
    body: { email: 'ben@example.com', role: 'admin' },
  })
  const token = invite_url.split('/').at(-1) ?? ''
  await platform.client(ben.token)('POST /invites/:token/accept', { params: { token } })
  await call('PUT /orgs/:name/billing/profile', { params, body: { name: 'Acme', country: 'NL' } })

  const page = await dashboard.openAs(ben, `/orgs/${params.name}/billing`)
  const details = page.getByRole('region', { name: 'Invoice details' })
  await details.getByText('Acme').waitFor()
  await details.getByText('Netherlands').waitFor()
  expect(await details.getByRole('button').count()).toBe(0)
})
