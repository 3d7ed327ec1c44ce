// Domains that were detached lately: for a while their former owner alone may attach them without proof.
import type { Db, Tx } from '../store.ts'
import type { DomainReleaseRow } from '../tables.ts'

/** Of one owner. Attaching and detaching names for ever must not fill the table. */
const keptPerOwner = 200

export const findRelease = (db: Db, domain: string): Promise<DomainReleaseRow | undefined> =>
  db.selectFrom('domain_releases').selectAll().where('domain', '=', domain).executeTakeFirst()

export async function noteRelease(tx: Tx, row: DomainReleaseRow): Promise<void> {
  const { owner_id, released_at } = row
  await tx
    .insertInto('domain_releases')
    .values(row)
    .onConflict(c => c.column('domain').doUpdateSet({ owner_id, released_at }))
    .execute()
  const kept = tx
    .selectFrom('domain_releases')
    .select('domain')
    .where('owner_id', '=', owner_id)
    .orderBy('released_at', 'desc')
    .limit(keptPerOwner)
  await tx
    .deleteFrom('domain_releases')
    .where('owner_id', '=', owner_id)
    .where('domain', 'not in', kept)
    .execute()
}

export async function deleteRelease(tx: Tx, domain: string): Promise<void> {
  await tx.deleteFrom('domain_releases').where('domain', '=', domain).execute()
}

export async function deleteOldReleases(db: Db, before: number): Promise<void> {
  await db.deleteFrom('domain_releases').where('released_at', '<', before).execute()
}
