// The invoices and credit notes of the account or of an organization.
import type { Run } from '../../command.ts'
import { clean, dim, print, printJson, printTable } from '../../output.ts'
import { connect } from '../../session.ts'

export const listInvoices: Run = async ({ options: { org, json } }) => {
  const call = connect()
  const { invoices } =
    org === undefined
      ? await call('GET /billing')
      : await call('GET /orgs/:name/billing', { params: { name: org } })
  if (json) return printJson({ invoices })
  if (!invoices?.length) return print('No invoices yet. Each payment gets one.')
  printTable(
    invoices.map(({ id, number, kind, credits, created_at, total_cents }) => [
      clean(number ?? id),
      clean(created_at).slice(0, 10),
      typeof total_cents === 'number' ? euros(total_cents) : '',
      dim(clean(id)),
      kind === 'credit_note' ? `credit note${credits ? ` for ${clean(credits)}` : ''}` : '',
    ]),
  )
}

const euros = (cents: number): string => `${cents < 0 ? '-' : ''}€${(Math.abs(cents) / 100).toFixed(2)}`

/** Prints a signed URL, which a browser or curl opens without a token. */
export const invoicePdf: Run = async ({ args: [id = ''], options: { org, json } }) => {
  const call = connect()
  const link =
    org === undefined
      ? await call('GET /billing/invoices/:id/pdf', { params: { id } })
      : await call('GET /orgs/:name/billing/invoices/:id/pdf', { params: { name: org, id } })
  if (json) return printJson(link)
  print(clean(link.url))
}
