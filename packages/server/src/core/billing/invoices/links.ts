// URLs of invoice PDFs. A URL is signed, needs no token, and expires after ten minutes.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Fault } from '../../../lib/fault.ts'
import type { Secret } from '../../../lib/secret.ts'
import { findDocument, findInvoice } from '../../../store/billing/invoices.ts'
import type { Platform, Rows, Vault } from '../../base/platform.ts'
import { requireBilling } from '../enabled.ts'

const goodForMs = 10 * 60_000

/** Throws `not_found` for the invoice of another owner, unless it is for the operator, and for an invoice without a PDF. */
export async function linkToDocument(
  platform: Rows & Vault & Pick<Platform, 'billing' | 'urls'>,
  ownerId: string | 'any',
  invoiceId: string,
) {
  requireBilling(platform)
  const invoice = await findInvoice(platform.store.db, invoiceId)
  if (!invoice || (ownerId !== 'any' && invoice.owner_id !== ownerId))
    throw new Fault('not_found', 'There is no such invoice.')
  if (invoice.state === 'issued')
    throw new Fault('not_found', 'The PDF of this invoice is still being made. Try again in a minute.')
  const content = `${invoice.id}.${platform.clock.now() + goodForMs}`
  const signature = sign(content, platform.keyring.current.derive(purpose))
  return { url: `${platform.urls.api}/invoices/${content}.${signature}` }
}

export async function documentBehind(
  platform: Rows & Vault,
  token: string,
): Promise<{ name: string; pdf: Buffer }> {
  const { db } = platform.store
  const id = readToken(platform, token)
  const invoice = id === undefined ? undefined : await findInvoice(db, id)
  const pdf = invoice && (await findDocument(db, invoice.id))
  if (!invoice || !pdf)
    throw new Fault('not_found', 'This link is wrong or older than 10 minutes. Open the invoice again.')
  return { name: fileName(invoice), pdf }
}

/** Contains only characters that need no quotes in a header. */
export const fileName = ({ kind, number }: { kind: string; number: string }): string =>
  `${kind === 'credit_note' ? 'credit-note' : 'invoice'}-${number}.pdf`

const purpose = 'invoice documents'

const sign = (content: string, key: Secret): string =>
  createHmac('sha256', key.reveal()).update(content).digest('base64url')

/** Returns the invoice's id. Accepts older keys too, because a key may have been replaced since the token was signed. */
function readToken(
  { keyring, clock }: Pick<Platform, 'clock' | 'keyring'>,
  token: string,
): string | undefined {
  const [id = '', until = '', signature = '', ...more] = token.split('.')
  if (more.length > 0 || !/^\d{1,16}$/.test(until) || Number(until) <= clock.now()) return undefined
  const given = Buffer.from(signature)
  const isSigned = keyring.keys.some(key => {
    const wanted = Buffer.from(sign(`${id}.${until}`, key.derive(purpose)))
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  })
  return isSigned ? id : undefined
}
