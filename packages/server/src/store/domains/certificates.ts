// Certificates and their issuance: every change of state is a compare and swap on the row.
import { type ExpressionBuilder, sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Db } from '../store.ts'
import type { CertificateRow, Tables } from '../tables.ts'

export const findCertificate = (db: Db, name: string): Promise<CertificateRow | undefined> =>
  db.selectFrom('certificates').selectAll().where('name', '=', name).executeTakeFirst()

/** Which of the domains have a certificate, and which wait for one. Domains are left out if the platform issues none. */
export async function certificatesAmong(
  db: Db,
  domains: readonly string[],
): Promise<ReadonlyMap<string, 'stored' | 'awaited'>> {
  if (domains.length === 0) return new Map()
  const rows = await db
    .selectFrom('certificates')
    .select(['name', sql<number>`case when chain is null then 0 else 1 end`.as('is_stored')])
    .where('name', 'in', domains)
    .execute()
  return new Map(rows.map(({ name, is_stored }) => [name, is_stored ? 'stored' : 'awaited']))
}

/** Those of the domains that have one stored. */
export async function readyAmong(db: Db, domains: readonly string[]): Promise<Set<string>> {
  const certificates = await certificatesAmong(db, domains)
  return new Set([...certificates.keys()].filter(domain => certificates.get(domain) === 'stored'))
}

/** The listener's read: the chain with its sealed key. */
export const findShown = prepared((db, name: string) =>
  db
    .selectFrom('certificates')
    .innerJoin('tls_keys', join =>
      join.on('tls_keys.id', '=', sql<string>`'certificate ' || certificates.name`),
    )
    .select(['certificates.chain', 'tls_keys.sealed', 'tls_keys.key_id'])
    .where('certificates.name', '=', name)
    .where('certificates.chain', 'is not', null),
)

/** The edge's read: the challenge that is pending for a host. */
export const findChallenge = prepared((db, name: string) =>
  db
    .selectFrom('certificates')
    .select(['challenge_token', 'challenge_answer'])
    .where('name', '=', name)
    .where('challenge_token', 'is not', null),
)

/** Domains that are served and have no row yet. */
export async function domainsWithout(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('domains')
    .leftJoin('certificates', 'certificates.name', 'domains.domain')
    .select('domains.domain')
    .where('certificates.name', 'is', null)
    .where('domains.verified_at', 'is not', null)
    .limit(limit)
    .execute()
  return rows.map(row => row.domain)
}

/** Adds a certificate to be issued. Does nothing if there is a row already. */
export async function addCertificate(
  db: Db,
  row: Pick<CertificateRow, 'name'> & Partial<CertificateRow>,
  now: number,
): Promise<void> {
  await db
    .insertInto('certificates')
    .values({ ...fresh(row.name, now), ...row })
    .onConflict(c => c.column('name').doNothing())
    .execute()
}

const fresh = (name: string, now: number): CertificateRow => ({
  name,
  domain: null,
  project_id: null,
  on_demand: 0,
  state: 'pending',
  next_at: now,
  claim: null,
  claimed_until: null,
  failures: 0,
  waiting_for: null,
  error: null,
  order_url: null,
  challenge_token: null,
  challenge_answer: null,
  chain: null,
  issued_at: null,
  expires_at: null,
  renewal_asked_at: null,
  created_at: now,
})

/**
 * Names that are due, or whose claim has expired, the longest waiting first. `hosts` are those below the platform's domain,
 * which share certificates; `others` are custom domains and the wildcard.
 */
export async function dueCertificates(
  db: Db,
  which: 'hosts' | 'others',
  now: number,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('certificates')
    .select('name')
    .where('next_at', '<=', now)
    .where(isFree(now))
    .where(which === 'hosts' ? isHost : isOther)
    .orderBy('next_at')
    .limit(limit)
    .execute()
  return rows.map(row => row.name)
}

/** A compare-and-swap: only one caller gets the claim. */
export async function claimCertificate(
  db: Db,
  name: string,
  claim: string,
  { now, until }: { now: number; until: number },
): Promise<CertificateRow | undefined> {
  return await db
    .updateTable('certificates')
    .set({ state: 'issuing', claim, claimed_until: until })
    .where('name', '=', name)
    .where('next_at', '<=', now)
    .where(isFree(now))
    .returningAll()
    .executeTakeFirst()
}

/** Names beside one that was claimed: those of the same order, or those that can be ordered together with it. */
export type Beside = { order: string } | { dueBefore: number; failuresBelow: number }

/** Claims hosts below the platform's domain with the same claim, at most `limit`. */
export async function claimHosts(
  db: Db,
  claim: string,
  beside: Beside,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<CertificateRow[]> {
  let candidates = db.selectFrom('certificates').select('name').where(isHost).where(isFree(now))
  if ('order' in beside) candidates = candidates.where('order_url', '=', beside.order)
  else
    candidates = candidates
      .where('order_url', 'is', null)
      .where('failures', '<', beside.failuresBelow)
      // Those that wait are not ordered before their time. Those that are to be renewed soon are.
      .where(eb =>
        eb.or([
          eb('next_at', '<=', now),
          eb.and([eb('state', '=', 'valid'), eb('on_demand', '=', 0), eb('next_at', '<=', beside.dueBefore)]),
        ]),
      )
  const names = await candidates.orderBy('next_at').limit(limit).execute()
  if (names.length === 0) return []
  return await db
    .updateTable('certificates')
    .set({ state: 'issuing', claim, claimed_until: until })
    .where(
      'name',
      'in',
      names.map(row => row.name),
    )
    .where(isFree(now))
    .returningAll()
    .execute()
}

type Condition = ExpressionBuilder<Tables, 'certificates'>

const isFree = (now: number) => (eb: Condition) =>
  eb.or([eb('state', '<>', 'issuing'), eb('claimed_until', '<=', now)])
const isHost = (eb: Condition) => eb.and([eb('domain', 'is', null), eb('name', 'not like', '*.%')])
const isOther = (eb: Condition) => eb.or([eb('domain', 'is not', null), eb('name', 'like', '*.%')])

/** Returns false if the claim is lost. */
export async function deleteClaimed(
  db: Db,
  { name, claim }: Pick<CertificateRow, 'name' | 'claim'>,
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('certificates')
    .where('name', '=', name)
    .where('claim', '=', claim)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

/** Returns false if the claim is lost: another node took over, or the domain is gone. */
export async function updateClaimed(
  db: Db,
  { name, claim }: Pick<CertificateRow, 'name' | 'claim'>,
  to: Partial<CertificateRow>,
): Promise<boolean> {
  const updated = await db
    .updateTable('certificates')
    .set(to)
    .where('name', '=', name)
    .where('claim', '=', claim)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Makes a name due now, unless a node works on it or it is stored and not due. */
export async function hasten(db: Db, name: string, now: number): Promise<boolean> {
  const updated = await db
    .updateTable('certificates')
    .set({ next_at: now })
    .where('name', '=', name)
    .where('state', 'in', ['pending', 'failed'])
    .where('next_at', '>', now)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}
