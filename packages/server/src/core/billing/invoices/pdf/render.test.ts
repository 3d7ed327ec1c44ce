import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { readPdf } from '../../../../testing/pdf.ts'
import type { InvoiceContent } from '../content.ts'
import { area } from './paper.ts'
import { renderInvoicePdf } from './render.ts'

const font = (name: string) => readFile(new URL(`../../../../../fonts/${name}.ttf`, import.meta.url))
const fonts = { regular: await font('Inter-Regular'), semibold: await font('Inter-SemiBold') }

const plain: InvoiceContent = {
  kind: 'invoice',
  number: '2026-000042',
  issued_at: Date.UTC(2026, 10, 16, 10),
  paid_at: Date.UTC(2026, 10, 15, 10),
  period: { start: Date.UTC(2026, 10, 15), end: Date.UTC(2026, 11, 15) },
  seller: {
    name: 'Acme Hosting B.V.',
    address: ['Herengracht 1', '1015 BA Amsterdam'],
    vat_number: 'NL123456789B01',
    email: 'billing@acme.example',
  },
  buyer: {
    name: 'Muster GmbH',
    address: ['Straße des 17. Juni 135', '10623 Berlin'],
    country: 'Germany',
    vat_number: 'DE136695976',
    email: null,
  },
  lines: [{ text: 'Plan Pro, 1 month', net_cents: 123_456 }],
  tax: { kind: 'domestic', rate_percent: 21 },
  credits: null,
  is_sandbox: false,
  ...{ net_cents: 123_456, vat_cents: 25_926, total_cents: 149_382 },
}

const rendered = async (changes: Partial<InvoiceContent> = {}) =>
  await readPdf(await renderInvoicePdf({ ...plain, ...changes }, fonts))

it('the PDF says who sold what to whom, when, and for how much', async () => {
  const { pages, info } = await rendered()
  expect(pages).toHaveLength(1)
  const { text } = pages[0]!
  for (const part of [
    ...['Invoice', '2026-000042', 'Acme Hosting B.V.', 'Herengracht 1', 'VAT NL123456789B01'],
    ...['Muster GmbH', 'Straße des 17. Juni 135', 'Germany', 'VAT DE136695976'],
    ...['16 November 2026', '15 November 2026', '14 December 2026', 'Plan Pro, 1 month'],
    ...['€1,234.56', 'VAT 21 %', '€259.26', '€1,493.82', 'Page 1 of 1'],
  ])
    expect(text).toContain(part)
  expect(text).not.toMatch(/reverse|Sandbox|Article/)
  expect(info).toMatchObject({ Title: 'Invoice 2026-000042', Author: 'Acme Hosting B.V.' })
})

it('the PDF says that VAT is reverse charged, with both VAT numbers', async () => {
  const tax = { kind: 'reverse_charge', rate_percent: 0 } as const
  const { text } = (await rendered({ tax, vat_cents: 0, total_cents: 123_456 })).pages[0]!
  expect(text).toContain('VAT reverse charged')
  expect(text).toContain('Article 196')
  expect(text).toContain('NL123456789B01')
  expect(text).toContain('DE136695976')
})

it('the PDF says why a customer outside the EU pays no VAT', async () => {
  const tax = { kind: 'outside_eu', rate_percent: 0 } as const
  expect((await rendered({ tax })).pages[0]!.text).toContain('outside the EU')
})

it('the PDF of a credit note names the invoice, with negative amounts', async () => {
  const { text } = (
    await rendered({
      kind: 'credit_note',
      number: 'CN-2026-000001',
      credits: { number: '2026-000042', issued_at: plain.issued_at },
      lines: [{ text: 'Refund: cancelled', net_cents: -1000 }],
      ...{ net_cents: -1000, vat_cents: -210, total_cents: -1210 },
    })
  ).pages[0]!
  for (const part of ['Credit note', 'CN-2026-000001', '2026-000042', '−€10.00', '−€2.10', '−€12.10'])
    expect(text).toContain(part)
})

it('the PDF says that a document of the sandbox is a test', async () => {
  expect((await rendered({ is_sandbox: true })).pages[0]!.text).toContain('no money was moved')
})

it('the PDF prints Latin, Greek and Cyrillic names and currency signs', async () => {
  const name = 'Łódź Ørsted Ñandú ŐŰ Σωκράτης Ἑλλάς Ёлкин Їжак Việt €₿'
  const { text } = (await rendered({ buyer: { ...plain.buyer, name } })).pages[0]!
  expect(text.replaceAll('\n', ' ')).toContain(name)
})

it('the PDF prints a question mark for what its font does not have', async () => {
  const lines = [{ text: 'Plan 専門 💶', net_cents: 1 }]
  expect((await rendered({ lines })).pages[0]!.text).toContain('Plan ?? ?')
})

it('the same invoice gives the same bytes', async () => {
  const [one, other] = [await renderInvoicePdf(plain, fonts), await renderInvoicePdf(plain, fonts)]
  expect(Buffer.compare(one, other)).toBe(0)
})

const many = Array.from({ length: 50 }, (_, index) => ({
  text: `Line ${index + 1} ${'with many words '.repeat((index % 4) * 4)}`,
  net_cents: index,
}))
const endless = 'Donaudampfschifffahrtsgesellschaft'.repeat(5)

it.each([
  ['one line', {}],
  ['50 lines', { lines: many }],
  [
    'long words',
    {
      buyer: { ...plain.buyer, name: endless, email: `${endless}@example.com` },
      seller: { ...plain.seller, name: endless },
    },
  ],
  ['one very long line', { lines: [{ text: endless.repeat(3), net_cents: 99_999_999_999 }] }],
] as [string, Partial<InvoiceContent>][])(
  'with %s, every page is filled and keeps its margins',
  async (_, changes) => {
    const { pages } = await rendered(changes)
    for (const [index, page] of pages.entries()) {
      expect([Math.round(page.width), Math.round(page.height)]).toEqual([595, 842])
      expect(page.text).toContain(`Page ${index + 1} of ${pages.length}`)
      const ink = (await page.ink())!
      expect(ink.left).toBeGreaterThanOrEqual(area.left - 2)
      expect(ink.right).toBeLessThanOrEqual(area.right + 2)
      expect(ink.top).toBeGreaterThanOrEqual(area.top - 2)
      expect(ink.bottom).toBeLessThanOrEqual(area.footer + 20)
    }
  },
)

it('50 lines go over several pages, each with the head of the table, and the sums come last', async () => {
  const { pages } = await rendered({ lines: many })
  expect(pages.length).toBeGreaterThan(1)
  const text = pages.map(page => page.text).join('\n')
  for (const line of many) expect(text).toContain(line.text.split(' with')[0]?.trim())
  expect(text.match(/Description/g)).toHaveLength(pages.length)
  expect(pages.at(-1)!.text).toContain('Total, paid')
})
