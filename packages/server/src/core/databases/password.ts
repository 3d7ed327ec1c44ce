// The password of a database, sealed in its row, and what the server needs to know of a row.
import type { AppDatabase } from '../../ports/databases/port.ts'
import type { AppDatabaseRow } from '../../store/databases/rows.ts'
import type { Vault } from '../base/platform.ts'

/** The place that an encrypted password is bound to. */
export const placeOfDatabase = (id: string): string[] => ['app-database', id]

export const openDatabase = ({ keyring }: Pick<Vault, 'keyring'>, row: AppDatabaseRow): AppDatabase => ({
  name: row.id,
  password: keyring.open(row, placeOfDatabase(row.id)),
  connections: row.connections,
})
