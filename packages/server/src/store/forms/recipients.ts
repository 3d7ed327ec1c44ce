// Addresses that were asked whether they want the emails of an owner's forms, and those that said yes.
import type { Db, Tx } from '../store.ts'
import type { MailRecipientRow } from '../tables.ts'

export const findRecipients = (db: Db, ownerId: string, addresses: string[]): Promise<MailRecipientRow[]> =>
  db
    .selectFrom('mail_recipients')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('address', 'in', addresses)
    .execute()

/** A new link makes the one before it useless. An address that said yes stays as it is. */
export async function askRecipient(db: Db, row: Omit<MailRecipientRow, 'confirmed_at'>): Promise<void> {
  await db
    .insertInto('mail_recipients')
    .values({ ...row, confirmed_at: null })
    .onConflict(c =>
      c
        .columns(['owner_id', 'address'])
        .doUpdateSet({ token_hash: row.token_hash, asked_at: row.asked_at })
        .where('mail_recipients.confirmed_at', 'is', null),
    )
    .execute()
}

export const findAsked = (db: Db, tokenHash: string): Promise<MailRecipientRow | undefined> =>
  db.selectFrom('mail_recipients').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()

export async function confirmRecipient(db: Db, tokenHash: string, at: number): Promise<void> {
  await db
    .updateTable('mail_recipients')
    .set({ confirmed_at: at })
    .where('token_hash', '=', tokenHash)
    .where('confirmed_at', 'is', null)
    .execute()
}

/** Stores addresses that their owner has confirmed. A link that was sent to one of them before stays valid. */
export async function insertConfirmed(tx: Tx, rows: MailRecipientRow[]): Promise<void> {
  await tx
    .insertInto('mail_recipients')
    .values(rows)
    .onConflict(c =>
      c
        .columns(['owner_id', 'address'])
        .doUpdateSet(eb => ({ confirmed_at: eb.ref('excluded.confirmed_at') }))
        .where('mail_recipients.confirmed_at', 'is', null),
    )
    .execute()
}
