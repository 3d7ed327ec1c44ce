// Sign-ins whose password was right and that wait for the second factor, and the end of everything that is unfinished.
import type { Db, Tx } from '../store.ts'
import type { SignInChallengeRow } from '../tables.ts'
import { deleteUnfinishedLinks } from './device-logins.ts'
import { deleteEmailChange } from './email-changes.ts'

export async function insertChallenge(tx: Tx, row: SignInChallengeRow): Promise<void> {
  await tx.insertInto('sign_in_challenges').values(row).execute()
}

export const findChallenge = (db: Db, hash: string, now: number): Promise<SignInChallengeRow | undefined> =>
  db
    .selectFrom('sign_in_challenges')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** A challenge works once. Returns false if it was used, or if it was deleted by a change of the password. */
export async function useChallenge(tx: Tx, hash: string): Promise<boolean> {
  const used = await tx.deleteFrom('sign_in_challenges').where('hash', '=', hash).executeTakeFirst()
  return used.numDeletedRows === 1n
}

/**
 * Ends everything that was begun and not finished: sign-ins that wait for a code, new passkeys, a new authenticator app,
 * links to a GitHub user, and a new email address. It may have been begun by somebody who knew the password.
 */
export async function endUnfinished(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('sign_in_challenges').where('account_id', '=', accountId).execute()
  await tx.deleteFrom('passkey_challenges').where('account_id', '=', accountId).execute()
  await tx
    .deleteFrom('totp_secrets')
    .where('account_id', '=', accountId)
    .where('enabled_at', 'is', null)
    .execute()
  await deleteUnfinishedLinks(tx, accountId)
  await deleteEmailChange(tx, accountId)
}

export async function deleteExpiredChallenges(db: Db, now: number): Promise<void> {
  await db.deleteFrom('sign_in_challenges').where('expires_at', '<=', now).execute()
}
