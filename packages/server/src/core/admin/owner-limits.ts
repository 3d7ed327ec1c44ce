// The limits that the operator gives to one account or org, instead of those of its plan or of the settings.
import type { LimitChanges, LimitName, OwnerLimits } from '@svc/contract'
import { shapes } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { deleteOwnLimits, ownLimitsOf, saveOwnLimit } from '../../store/billing/owner-limits.ts'
import { lockAccount } from '../../store/identity/accounts.ts'
import { lockOrg, ownedOrgNames } from '../../store/orgs/orgs.ts'
import { type Actor, audit } from '../base/audit.ts'
import { allowanceKeys } from '../base/catalog.ts'
import { defaultsOf } from '../base/plans.ts'
import type { PlanSettings, Rows } from '../base/platform.ts'
import { usageOf } from '../billing/usage.ts'
import { findOwner } from './owners.ts'

/** JSON has no infinity, so `null` stands for no limit. */
const orNull = (amount: number): number | null => (Number.isFinite(amount) ? amount : null)

/** An org owns no orgs. */
const namesFor = (kind: OwnerLimits['kind']): LimitName[] =>
  shapes.limitName.options.filter(name => kind === 'account' || name !== 'orgs')

export async function ownerLimits(platform: PlanSettings & Rows, name: string): Promise<OwnerLimits> {
  const { db } = platform.store
  const found = await findOwner(db, name)
  const own = await ownLimitsOf(db, found.id)
  const defaults = await defaultsOf(platform, db, found.id)
  const { usage } = await usageOf(platform, found.owner)
  return {
    owner: found.name,
    kind: found.kind,
    limits: namesFor(found.kind).map(limit => {
      const byDefault = orNull(defaults[allowanceKeys[limit]])
      const set = own[limit]
      const allowed = set === undefined ? byDefault : set
      return { name: limit, allowed, is_own: set !== undefined, default: byDefault, used: usage[limit] }
    }),
    orgs: found.kind === 'account' ? await ownedOrgNames(db, found.id) : [],
  }
}

/** What is used beyond a new limit stays. */
export async function changeLimits(
  platform: PlanSettings & Rows,
  by: Actor | { ip: string },
  name: string,
  changes: LimitChanges,
): Promise<OwnerLimits> {
  const changed = shapes.limitName.options.filter(limit => changes[limit] !== undefined)
  if (changed.length === 0)
    throw new Fault('invalid_request', `Nothing to change: send ${shapes.limitName.options.join(', ')}.`)
  await platform.store.transact(async tx => {
    const { id, kind, name: target } = await findOwner(tx, name)
    if (kind === 'org' && changes.orgs !== undefined)
      throw new Fault('invalid_request', 'orgs: an org owns no orgs, so it has no such limit.')
    // Whoever checks a limit holds this row, too.
    if (kind === 'org') await lockOrg(tx, id)
    else await lockAccount(tx, id)
    for (const limit of changed) {
      const amount = changes[limit]
      if (amount === 'default') await deleteOwnLimits(tx, id, limit)
      else if (amount !== undefined) await saveOwnLimit(tx, { owner_id: id, name: limit, amount })
    }
    const where = kind === 'org' ? { orgId: id } : { accountId: id }
    const details = Object.fromEntries(changed.map(limit => [limit, changes[limit] ?? null]))
    await audit(platform, tx, by, { action: 'limits.change', ...where, target, details })
  })
  return await ownerLimits(platform, name)
}
