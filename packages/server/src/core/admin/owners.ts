// Finds the account or org that an operator names.
import type { OwnerLimits } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import type { Owner } from '../../store/billing/plan-usage.ts'
import { findAccountByLogin } from '../../store/identity/accounts.ts'
import { findOrg } from '../../store/orgs/orgs.ts'
import type { Db } from '../../store/store.ts'

interface FoundOwner {
  id: string
  name: string
  kind: OwnerLimits['kind']
  owner: Owner
}

/** No name is both a login and the name of an org. */
export async function findOwner(db: Db, name: string): Promise<FoundOwner> {
  const account = await findAccountByLogin(db, name.toLowerCase())
  if (account)
    return {
      ...{ id: account.id, name: account.login, kind: 'account' },
      owner: { account_id: account.id, org_id: null },
    }
  const org = await findOrg(db, name.toLowerCase())
  if (!org) throw new Fault('not_found', `There is no account and no org '${name.slice(0, 60)}'.`)
  return { ...{ id: org.id, name: org.name, kind: 'org' }, owner: { account_id: null, org_id: org.id } }
}
