// Where sealed values are kept: every table that a rotation of the keys must know, with the columns that name a row.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Sealed } from '../../lib/seal.ts'
import type { Db, Tx } from '../store.ts'

export const sealedTables = {
  env_vars: ['project_id', 'key', 'environment', 'branch'],
  cron_secrets: ['project_id'],
  app_databases: ['id'],
  notification_secrets: ['target_id'],
  tls_keys: ['id'],
  github_users: ['account_id'],
  git_host_repositories: ['repository_id'],
  totp_secrets: ['account_id'],
  operator_settings: ['name'],
  backup_keys: ['place'],
} as const satisfies Record<string, readonly string[]>

export type SealedTable = keyof typeof sealedTables

export interface SealedRow extends Sealed {
  /** The values of the columns that name it. */
  id: readonly string[]
}

const idOf = (table: SealedTable): RawBuilder<unknown> =>
  sql.join(sealedTables[table].map(column => sql.ref(column)))

/** All rows of a table, page by page; with `notSealedBy` only those that another key sealed. */
export async function nextSealed(
  db: Db,
  table: SealedTable,
  page: { after: readonly string[] | undefined; limit: number; notSealedBy?: string },
): Promise<SealedRow[]> {
  const { after, limit, notSealedBy } = page
  const id = idOf(table)
  const later = after ? sql<SqlBool>`(${id}) > (${sql.join([...after])})` : sql<SqlBool>`1 = 1`
  const others = notSealedBy === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`key_id <> ${notSealedBy}`
  const { rows } = await sql<Sealed & Record<string, string>>`
    select ${id}, sealed, key_id from ${sql.table(table)}
    where ${later} and ${others} order by ${id} limit ${limit}`.execute(db)
  return rows.map(row => ({
    id: sealedTables[table].map(column => row[column]!),
    sealed: row.sealed,
    key_id: row.key_id,
  }))
}

/** Replaces the seal of a value that is still the one that was read. Returns false if it has changed since. */
export async function replaceSeal(
  tx: Tx,
  table: SealedTable,
  read: SealedRow,
  { sealed, key_id }: Sealed,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set sealed = ${sealed}, key_id = ${key_id}
    where (${idOf(table)}) = (${sql.join([...read.id])}) and sealed = ${read.sealed}`.execute(tx)
  return numAffectedRows === 1n
}

/** How many values each key has sealed. */
export async function countByKey(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const table of Object.keys(sealedTables) as SealedTable[]) {
    const { rows } = await sql<{ key_id: string; count: number | string }>`
      select key_id, count(*) as count from ${sql.table(table)} group by key_id order by key_id`.execute(db)
    for (const { key_id, count } of rows) counts.set(key_id, (counts.get(key_id) ?? 0) + Number(count))
  }
  return counts
}
