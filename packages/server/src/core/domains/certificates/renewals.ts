// Asks the authority when the certificates that it issued are to be renewed (ARI, RFC 9773): earlier if it has to revoke them,
// later if it has much to do. Without an answer, the time stays that follows from the lifetime.
import { hourMs } from '@svc/contract/durations'
import { moveRenewal, noteRenewalAsked, renewalsToAsk } from '../../../store/domains/renewals.ts'
import type { CertificateRow } from '../../../store/tables.ts'
import type { Issuing } from '../../base/parts.ts'
import type { Rows } from '../../base/platform.ts'
import { kindOf } from './kinds.ts'
import { renewalIn, sharesRenewal } from './times.ts'

const askEveryMs = 6 * hourMs
const atOnce = 20

export async function askForRenewals(platform: Rows, { acme, backoff }: Issuing): Promise<void> {
  const now = platform.clock.now()
  if (backoff.activeAt(now)) return
  const rows = await renewalsToAsk(platform.store.db, now - askEveryMs, atOnce)
  await Promise.all(rows.map(row => askFor(platform, acme, row, now)))
}

async function askFor({ store }: Rows, acme: Issuing['acme'], row: CertificateRow, now: number) {
  const { name, chain, issued_at: from, expires_at: to } = row
  // Noted first, so that one node asks, and an authority that does not answer is left alone until the next time.
  if (!chain || !from || !to || !(await noteRenewalAsked(store.db, row, now))) return
  const window = await acme.renewal(chain).catch(() => undefined)
  if (!window) return
  const nextAt = renewalIn(sharesRenewal(kindOf(row)) ? '' : name, now, { window, from, to })
  if (nextAt === row.next_at) return
  await store.transact(async (tx, changed) => {
    if (await moveRenewal(tx, row, nextAt)) await changed({ topic: 'certificate', key: name })
  })
}
