// Requests of one node for logs of another. A row exists until it is answered and read.
import type { Db } from '../store.ts'
import type { LogRequestRow } from '../tables.ts'

export async function insertLogRequest(db: Db, row: LogRequestRow): Promise<void> {
  await db.insertInto('log_requests').values(row).execute()
}

export async function findLogAnswer(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('log_requests').select('answer').where('id', '=', id).executeTakeFirst()
  return row?.answer ?? undefined
}

export const openLogRequests = (db: Db, nodeId: string): Promise<LogRequestRow[]> =>
  db
    .selectFrom('log_requests')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('answer', 'is', null)
    .orderBy('created_at')
    .limit(100)
    .execute()

export async function answerLogRequest(db: Db, id: string, answer: string): Promise<void> {
  await db.updateTable('log_requests').set({ answer }).where('id', '=', id).execute()
}

export async function deleteLogRequest(db: Db, id: string): Promise<void> {
  await db.deleteFrom('log_requests').where('id', '=', id).execute()
}

/** Deletes requests of nodes that were killed before they read the answer. */
export async function deleteOldLogRequests(db: Db, before: number): Promise<void> {
  await db.deleteFrom('log_requests').where('created_at', '<', before).execute()
}
