// Who may see a site: its mode, and the one-time codes that bring members of an org to it.
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { AccessCodeRow, ProjectRow } from '../tables.ts'

/** Locks the project's row until the transaction ends and returns its access. */
export const lockAccess = (tx: Tx, projectId: string) =>
  tx
    .updateTable('projects')
    .set(eb => ({ name: eb.ref('name') }))
    .where('id', '=', projectId)
    .returning(['org_id', 'access_mode'])
    .executeTakeFirst()

/** Starts a new generation, which invalidates the passes of all visitors. */
export async function setAccess(
  tx: Tx,
  projectId: string,
  access: { access_mode: ProjectRow['access_mode']; password_hash: string | null },
): Promise<void> {
  await tx
    .updateTable('projects')
    .set(eb => ({ ...access, access_generation: eb('access_generation', '+', 1) }))
    .where('id', '=', projectId)
    .execute()
}

/** Invalidates the passes of all visitors. */
export async function newGeneration(tx: Tx, projectId: string): Promise<void> {
  await tx
    .updateTable('projects')
    .set(eb => ({ access_generation: eb('access_generation', '+', 1) }))
    .where('id', '=', projectId)
    .execute()
}

export async function insertAccessCode(db: Db, row: AccessCodeRow): Promise<void> {
  await db.insertInto('access_codes').values(row).execute()
}

/** Reads before `takeAccessCode` writes, so that guessed codes cause no writes. */
const findAccessCode = prepared((db, hash: string) =>
  db.selectFrom('access_codes').select('code_hash').where('code_hash', '=', hash),
)

/** Deletes and returns the code. Only one caller gets it. */
export async function takeAccessCode(db: Db, hash: string): Promise<AccessCodeRow | undefined> {
  if ((await findAccessCode(db, hash)).rows.length === 0) return undefined
  return await db.deleteFrom('access_codes').where('code_hash', '=', hash).returningAll().executeTakeFirst()
}

export async function deleteExpiredCodes(db: Db, before: number): Promise<void> {
  await db.deleteFrom('access_codes').where('expires_at', '<', before).execute()
}

/** One row if the account is a member of the org that owns the project. */
export const findMembership = prepared((db, projectId: string, accountId: string) =>
  db
    .selectFrom('projects')
    .innerJoin('members', 'members.org_id', 'projects.org_id')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select('members.role')
    .where('projects.id', '=', projectId)
    .where('members.account_id', '=', accountId)
    .where('accounts.disabled_at', 'is', null),
)
