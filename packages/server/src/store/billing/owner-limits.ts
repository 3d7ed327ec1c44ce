// The limits that the operator has given to single accounts and orgs.
import type { LimitName } from '@svc/contract'
import type { Db, Tx } from '../store.ts'

/** By name. Null: no limit. */
export type OwnLimits = Partial<Record<LimitName, number | null>>

export async function ownLimitsOf(db: Db, ownerId: string): Promise<OwnLimits> {
  const rows = await db
    .selectFrom('owner_limits')
    .select(['name', 'amount'])
    .where('owner_id', '=', ownerId)
    .execute()
  return Object.fromEntries(rows.map(({ name, amount }) => [name, amount === null ? null : Number(amount)]))
}

/** The smallest amount that an owner was given of its own. `undefined` if none was. */
export async function leastOwnLimit(db: Db, name: LimitName): Promise<number | undefined> {
  const row = await db
    .selectFrom('owner_limits')
    .select(eb => eb.fn.min<number | string | null>('amount').as('least'))
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.least == null ? undefined : Number(row.least)
}

/** Whether an owner was given more than nothing of this. */
export async function hasOwnLimit(db: Db, name: LimitName): Promise<boolean> {
  const row = await db
    .selectFrom('owner_limits')
    .select('owner_id')
    .where('name', '=', name)
    .where(eb => eb.or([eb('amount', 'is', null), eb('amount', '>', 0)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function saveOwnLimit(
  tx: Tx,
  row: { owner_id: string; name: LimitName; amount: number | null },
): Promise<void> {
  await tx
    .insertInto('owner_limits')
    .values(row)
    .onConflict(c => c.columns(['owner_id', 'name']).doUpdateSet({ amount: row.amount }))
    .execute()
}

/** One of them, or all. */
export async function deleteOwnLimits(tx: Tx, ownerId: string, name?: LimitName): Promise<void> {
  await tx
    .deleteFrom('owner_limits')
    .where('owner_id', '=', ownerId)
    .$if(name !== undefined, query => query.where('name', '=', name!))
    .execute()
}
