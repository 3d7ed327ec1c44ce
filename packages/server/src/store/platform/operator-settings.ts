// The settings that operators changed in the dashboard.
import { sql } from 'kysely'
import type { Sealed } from '../../lib/seal.ts'
import { openReader } from '../sqlite/open.ts'
import type { Db, Tx } from '../store.ts'
import type { OperatorSettingRow } from '../tables.ts'

export async function storedSettings(db: Db): Promise<OperatorSettingRow[]> {
  return await db.selectFrom('operator_settings').selectAll().orderBy('name').execute()
}

/** Of two operators who change settings at the same time, the second one waits here. */
export async function lockSettings(tx: Tx): Promise<void> {
  await tx
    .updateTable('platform')
    .set(eb => ({ id: eb.ref('id') }))
    .execute()
}

export async function saveSetting(
  tx: Tx,
  name: string,
  { sealed, key_id }: Sealed,
  changed_at: number,
): Promise<void> {
  const values = { sealed, key_id, changed_at }
  await tx
    .insertInto('operator_settings')
    .values({ name, ...values })
    .onConflict(conflict => conflict.column('name').doUpdateSet(values))
    .execute()
}

export async function deleteSetting(tx: Tx, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('operator_settings')
    .where('name', '=', name)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Before the platform starts: the database may have an older schema. */
export async function settingsBeforeStart(db: Db): Promise<OperatorSettingRow[]> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass('operator_settings') as found`.execute(db)
  return rows[0]?.found ? await storedSettings(db) : []
}

/** The same for SQLite, without a store. */
export function settingsInFile(file: string): OperatorSettingRow[] {
  const reader = openReader(file)
  try {
    const table = reader.prepare("select 1 from sqlite_master where name = 'operator_settings'").get()
    if (!table) return []
    return reader
      .prepare('select * from operator_settings order by name')
      .all() as unknown as OperatorSettingRow[]
  } finally {
    reader.close()
  }
}
