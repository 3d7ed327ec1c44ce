// Orgs and their members.
import type { Role } from '@svc/contract'
import type { Db } from './store.ts'
import type { OrgRow } from './tables.ts'

export const findOrg = (db: Db, name: string): Promise<OrgRow | undefined> =>
  db.selectFrom('orgs').selectAll().where('name', '=', name).executeTakeFirst()

export async function roleIn(db: Db, orgId: string, accountId: string): Promise<Role | undefined> {
  const row = await db
    .selectFrom('members')
    .select('role')
    .where('org_id', '=', orgId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.role
}
