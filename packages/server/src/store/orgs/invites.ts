// Invites into orgs.
import type { Db, Tx } from '../store.ts'
import type { InviteRow } from '../tables.ts'

export type InviteWithNames = InviteRow & { org_name: string; sender_login: string }

const withNames = (db: Db) =>
  db
    .selectFrom('invites')
    .innerJoin('orgs', 'orgs.id', 'invites.org_id')
    .innerJoin('accounts', 'accounts.id', 'invites.sender_id')
    .selectAll('invites')
    .select(['orgs.name as org_name', 'accounts.login as sender_login'])
    .where('invites.status', '=', 'pending')

export async function insertInvite(tx: Tx, row: InviteRow): Promise<void> {
  await tx.insertInto('invites').values(row).execute()
}

export const pendingInvites = (db: Db, orgId: string, now: number): Promise<InviteWithNames[]> =>
  withNames(db)
    .where('invites.org_id', '=', orgId)
    .where('invites.expires_at', '>', now)
    .orderBy('invites.created_at', 'desc')
    .orderBy('invites.id', 'desc')
    .execute()

export const findPendingInvite = (
  db: Db,
  tokenHash: string,
  now: number,
): Promise<InviteWithNames | undefined> =>
  withNames(db)
    .where('invites.token_hash', '=', tokenHash)
    .where('invites.expires_at', '>', now)
    .executeTakeFirst()

export const findPendingInviteById = (
  db: Db,
  orgId: string,
  id: string,
  now: number,
): Promise<InviteWithNames | undefined> =>
  withNames(db)
    .where('invites.org_id', '=', orgId)
    .where('invites.id', '=', id)
    .where('invites.expires_at', '>', now)
    .executeTakeFirst()

/** Returns false if the invite was accepted or revoked meanwhile. */
export async function renewInvite(
  tx: Tx,
  id: string,
  renewed: Pick<InviteRow, 'token_hash' | 'sender_id' | 'expires_at'>,
): Promise<boolean> {
  const updated = await tx
    .updateTable('invites')
    .set(renewed)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Compare and swap from `pending`. Returns false if someone was faster. */
export async function endInvite(
  tx: Tx,
  id: string,
  orgId: string,
  status: 'accepted' | 'revoked',
): Promise<boolean> {
  const updated = await tx
    .updateTable('invites')
    .set({ status })
    .where('id', '=', id)
    .where('org_id', '=', orgId)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export async function revokeInvitesBy(tx: Tx, orgId: string, senderId: string): Promise<void> {
  await tx
    .updateTable('invites')
    .set({ status: 'revoked' })
    .where('org_id', '=', orgId)
    .where('sender_id', '=', senderId)
    .where('status', '=', 'pending')
    .execute()
}

/** In all orgs. */
export async function revokeAllInvitesBy(tx: Tx, senderId: string): Promise<void> {
  await tx
    .updateTable('invites')
    .set({ status: 'revoked' })
    .where('sender_id', '=', senderId)
    .where('status', '=', 'pending')
    .execute()
}

export async function deleteOldInvites(db: Db, before: number): Promise<void> {
  await db.deleteFrom('invites').where('expires_at', '<', before).execute()
}
