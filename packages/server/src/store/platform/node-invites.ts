// Invitations of nodes. Only who has the code can read what they hold.
import type { Tx } from '../store.ts'
import type { NodeInviteRow } from '../tables.ts'

export async function insertNodeInvite(tx: Tx, row: NodeInviteRow): Promise<void> {
  await tx.insertInto('node_invites').values(row).execute()
}

export async function deleteExpiredNodeInvites(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('node_invites').where('expires_at', '<=', now).execute()
}

/** Of several that take the same one at a time, one gets it. */
export const takeNodeInvite = (tx: Tx, id: string, now: number): Promise<NodeInviteRow | undefined> =>
  tx
    .deleteFrom('node_invites')
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
