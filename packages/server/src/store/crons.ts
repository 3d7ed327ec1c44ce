// Scheduled jobs, their runs, and the secret that signs them.
import type { Db, Tx } from './store.ts'
import type { CronSecretRow } from './tables.ts'

export const findCronSecret = (db: Db, projectId: string): Promise<CronSecretRow | undefined> =>
  db.selectFrom('cron_secrets').selectAll().where('project_id', '=', projectId).executeTakeFirst()

export async function insertCronSecret(tx: Tx, row: CronSecretRow): Promise<void> {
  await tx.insertInto('cron_secrets').values(row).execute()
}
