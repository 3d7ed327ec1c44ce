// Installations at the git host that members share with their org.
import type { Db, Tx } from '../../store.ts'
import type { SharedInstallationRow } from '../../tables.ts'

/** Returns false if it is shared already, with whichever org. */
export async function insertShared(tx: Tx, row: SharedInstallationRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('shared_installations')
    .values(row)
    .onConflict(c => c.column('installation_id').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

const withNames = (db: Db) =>
  db
    .selectFrom('shared_installations')
    .innerJoin('orgs', 'orgs.id', 'shared_installations.org_id')
    .innerJoin('accounts', 'accounts.id', 'shared_installations.shared_by')
    .selectAll('shared_installations')
    .select(['orgs.name as org_name', 'accounts.login as sharer_login', 'accounts.id as sharer_id'])
    .orderBy('shared_installations.created_at')

export const sharedWithOrg = (db: Db, orgId: string) =>
  withNames(db).where('shared_installations.org_id', '=', orgId).execute()

export const findShared = (db: Db, installationId: number) =>
  withNames(db).where('shared_installations.installation_id', '=', installationId).executeTakeFirst()

/** Shared with any org that the account belongs to. */
export const sharedWithMember = (db: Db, accountId: string) =>
  withNames(db)
    .innerJoin('members', 'members.org_id', 'shared_installations.org_id')
    .where('members.account_id', '=', accountId)
    .execute()

export async function deleteShared(tx: Tx, installationId: number): Promise<void> {
  await tx.deleteFrom('shared_installations').where('installation_id', '=', installationId).execute()
}
