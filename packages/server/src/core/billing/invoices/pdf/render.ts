// The PDF of an invoice or credit note: header, seller and buyer, lines (over several pages if needed), sums.

import type { Party } from '../../../base/parts.ts'
import { type InvoiceContent, taxNotes } from '../content.ts'
import { date, euros } from '../words.ts'
import { area, colours, type Fonts, Paper, type TextStyle } from './paper.ts'

const label: TextStyle = { size: 8, colour: colours.soft }
const strong: TextStyle = { weight: 'semibold' }
const amountWidth = 96
const textWidth = area.width - amountWidth - 24
const amountsAt = area.right - amountWidth
const sumsFrom = area.right - 240

export async function renderInvoicePdf(content: InvoiceContent, fonts: Fonts): Promise<Uint8Array> {
  const title = `${nounOf(content)} ${content.number}`
  const paper = new Paper(fonts, { title, author: content.seller.name, createdAt: content.issued_at })
  let y = writeHead(paper, content)
  y = writeParties(paper, content, y + 28)
  y = writeLines(paper, content, y + 30)
  y = writeSums(paper, content, y + 14)
  writeNotes(paper, content, y + 26)
  paper.onEveryPage((page, pages) => writeFooter(paper, content, `Page ${page} of ${pages}`))
  return await paper.finish()
}

const nounOf = ({ kind }: InvoiceContent): string => (kind === 'invoice' ? 'Invoice' : 'Credit note')

function writeHead(paper: Paper, content: InvoiceContent): number {
  const half = area.width / 2 - 10
  const right = { x: area.right - half, width: half }
  const name = paper.write(
    content.seller.name,
    { x: area.left, y: area.top, width: half },
    { size: 15, weight: 'semibold' },
  )
  let y = paper.write(
    nounOf(content),
    { ...right, y: area.top },
    { size: 22, weight: 'semibold', align: 'right' },
  )
  y = paper.write(content.number, { ...right, y }, { size: 11, colour: colours.soft, align: 'right' })
  if (content.is_sandbox)
    y = paper.write(
      'Sandbox: a test document, no money was moved',
      { ...right, y: y + 4 },
      { size: 8.5, weight: 'semibold', colour: colours.warning, align: 'right' },
    )
  const below = Math.max(name, y) + 16
  paper.rule(below, colours.accent)
  return below
}

/** Three columns: from, to, and the facts of the document. */
function writeParties(paper: Paper, content: InvoiceContent, y: number): number {
  const gap = 20
  const width = (area.width - 2 * gap) / 3
  const columns = [
    { title: 'From', rows: partyRows(content.seller) },
    { title: 'Billed to', rows: partyRows(content.buyer, content.buyer.country) },
    { title: undefined, rows: detailRows(content) },
  ]
  const ends = columns.map(({ title, rows }, index) => {
    const x = area.left + index * (width + gap)
    let below = title === undefined ? y : paper.write(title, { x, y, width }, label) + 3
    for (const { text, style } of rows) below = paper.write(text, { x, y: below, width }, style)
    return below
  })
  return Math.max(...ends)
}

interface Row {
  text: string
  style?: TextStyle
}

const partyRows = (party: Party, country: string | null = null): Row[] => [
  { text: party.name, style: strong },
  ...[...party.address, country, party.vat_number && `VAT ${party.vat_number}`, party.email].flatMap(text =>
    text ? [{ text }] : [],
  ),
]

function detailRows(content: InvoiceContent): Row[] {
  const { kind, period, credits } = content
  const facts: [string, string[]][] = [
    ['Issued', [date(content.issued_at)]],
    [kind === 'invoice' ? 'Paid' : 'Refunded', [date(content.paid_at)]],
    ['Period', period ? [`${date(period.start)} –`, date(period.end - 1)] : []],
    ['Credits invoice', credits ? [credits.number, `of ${date(credits.issued_at)}`] : []],
  ]
  return facts.flatMap(([name, values]) =>
    values.length === 0 ? [] : [{ text: name, style: label }, ...values.map(text => ({ text }))],
  )
}

function writeLinesHead(paper: Paper, y: number): number {
  const below = paper.write('Description', { x: area.left, y, width: textWidth }, label)
  paper.write('Amount', { x: amountsAt, y, width: amountWidth }, { ...label, align: 'right' })
  paper.rule(below + 5)
  return below + 13
}

function writeLines(paper: Paper, { lines }: InvoiceContent, start: number): number {
  let y = writeLinesHead(paper, start)
  for (const line of lines) {
    const needed = paper.heightOf(line.text, textWidth)
    if (y + needed > area.bottom) {
      paper.addPage()
      y = writeLinesHead(paper, area.top)
    }
    const below = paper.write(line.text, { x: area.left, y, width: textWidth })
    paper.write(euros(line.net_cents), { x: amountsAt, y, width: amountWidth }, { align: 'right' })
    y = below + 7
  }
  paper.rule(y)
  return y
}

function writeSums(paper: Paper, content: InvoiceContent, start: number): number {
  const { tax } = content
  const sums: [string, number, TextStyle][] = [
    ['Subtotal', content.net_cents, {}],
    [
      `VAT ${tax.rate_percent} %${tax.kind === 'reverse_charge' ? ' (reverse charge)' : ''}`,
      content.vat_cents,
      {},
    ],
    [
      content.kind === 'invoice' ? 'Total, paid' : 'Total, refunded',
      content.total_cents,
      { size: 12, weight: 'semibold' },
    ],
  ]
  // The sums stay together, with the notes below them.
  let y = start + 150 > area.bottom ? newPage(paper) : start
  for (const [name, cents, style] of sums) {
    paper.write(name, { x: sumsFrom, y, width: 140 }, style)
    y = paper.write(euros(cents), { x: amountsAt, y, width: amountWidth }, { ...style, align: 'right' }) + 6
  }
  return y
}

function newPage(paper: Paper): number {
  paper.addPage()
  return area.top
}

function writeNotes(paper: Paper, content: InvoiceContent, start: number): void {
  const note = taxNotes[content.tax.kind]
  if (note) paper.write(note, { x: area.left, y: start, width: area.width }, { size: 9 })
}

function writeFooter(paper: Paper, { seller, number }: InvoiceContent, page: string): void {
  paper.rule(area.footer - 10)
  const facts = [number, seller.name.slice(0, 40), seller.vat_number && `VAT ${seller.vat_number}`]
    .filter(Boolean)
    .join(' · ')
  paper.write(facts, { x: area.left, y: area.footer, width: area.width - 90 }, label)
  paper.write(page, { x: area.right - 80, y: area.footer, width: 80 }, { ...label, align: 'right' })
}
