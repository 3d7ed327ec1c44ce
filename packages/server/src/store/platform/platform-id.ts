// The platform's id: created on first use, and the same on every node of the database.
import type { Db } from '../store.ts'

export async function platformId(db: Db, makeId: () => string): Promise<string> {
  const known = await db.selectFrom('platform').select('id').executeTakeFirst()
  if (known) return known.id
  await db
    .insertInto('platform')
    .values({ only_row: 1, id: makeId() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return (await db.selectFrom('platform').select('id').executeTakeFirstOrThrow()).id
}
