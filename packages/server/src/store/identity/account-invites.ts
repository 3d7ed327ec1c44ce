// Invitations to create an account. An invitation that was used or revoked is deleted.
import type { Db, Tx } from '../store.ts'
import type { AccountInviteRow } from '../tables.ts'

export type AccountInviteWithSender = AccountInviteRow & { sender_login: string }

const pending = (db: Db, now: number) =>
  db
    .selectFrom('account_invites')
    .innerJoin('accounts', 'accounts.id', 'account_invites.sender_id')
    .selectAll('account_invites')
    .select('accounts.login as sender_login')
    .where('account_invites.expires_at', '>', now)

export const pendingAccountInvites = (db: Db, now: number): Promise<AccountInviteWithSender[]> =>
  pending(db, now)
    .orderBy('account_invites.created_at', 'desc')
    .orderBy('account_invites.id', 'desc')
    .execute()

export const findAccountInvite = (
  db: Db,
  tokenHash: string,
  now: number,
): Promise<AccountInviteWithSender | undefined> =>
  pending(db, now).where('account_invites.token_hash', '=', tokenHash).executeTakeFirst()

export async function insertAccountInvite(tx: Tx, row: AccountInviteRow): Promise<void> {
  await tx.insertInto('account_invites').values(row).execute()
}

/** Returns the deleted row. Of two calls at the same time, one gets it. */
export const takeAccountInvite = (
  tx: Tx,
  by: 'id' | 'token_hash',
  value: string,
): Promise<AccountInviteRow | undefined> =>
  tx.deleteFrom('account_invites').where(by, '=', value).returningAll().executeTakeFirst()

export async function deleteAccountInvitesBy(tx: Tx, senderId: string): Promise<void> {
  await tx.deleteFrom('account_invites').where('sender_id', '=', senderId).execute()
}

export async function deleteExpiredAccountInvites(db: Db, before: number): Promise<void> {
  await db.deleteFrom('account_invites').where('expires_at', '<', before).execute()
}
