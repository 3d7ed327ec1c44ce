// When certificates are renewed, as their authority wants it.
import type { Db } from '../store.ts'
import type { CertificateRow } from '../tables.ts'

/** Certificates that are renewed and whose authority was not asked since `before`. */
export const renewalsToAsk = (db: Db, before: number, limit: number): Promise<CertificateRow[]> =>
  db
    .selectFrom('certificates')
    .selectAll()
    .where('state', '=', 'valid')
    .where('on_demand', '=', 0)
    .where('chain', 'is not', null)
    .where(eb => eb.or([eb('renewal_asked_at', 'is', null), eb('renewal_asked_at', '<=', before)]))
    .orderBy('next_at')
    .limit(limit)
    .execute()

type Asked = Pick<CertificateRow, 'name' | 'renewal_asked_at' | 'expires_at'>

/** A compare-and-swap: only one node asks. */
export async function noteRenewalAsked(db: Db, row: Asked, now: number): Promise<boolean> {
  const { renewal_asked_at: before } = row
  const noted = await db
    .updateTable('certificates')
    .set({ renewal_asked_at: now })
    .where('name', '=', row.name)
    .where('renewal_asked_at', before === null ? 'is' : '=', before)
    .executeTakeFirst()
  return noted.numUpdatedRows === 1n
}

/** Does nothing if the certificate is being renewed, or was. */
export async function moveRenewal(db: Db, row: Asked, nextAt: number): Promise<boolean> {
  const moved = await db
    .updateTable('certificates')
    .set({ next_at: nextAt })
    .where('name', '=', row.name)
    .where('state', '=', 'valid')
    .where('expires_at', '=', row.expires_at)
    .executeTakeFirst()
  return moved.numUpdatedRows === 1n
}
