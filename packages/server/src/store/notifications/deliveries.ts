// Notifications that wait to be sent, and the log of those that were sent.
import type { Db, Tx } from '../store.ts'
import type { NotificationDeliveryRow } from '../tables.ts'

/** A target whose receiver is down gets no more than this many waiting notifications. */
const waitingAtMost = 100

/** Does nothing if too many wait for the target already. Deletes the oldest of the log beyond `kept`. */
export async function insertDelivery(tx: Tx, row: NotificationDeliveryRow, kept: number): Promise<void> {
  const ofTarget = tx.selectFrom('notification_deliveries').where('target_id', '=', row.target_id)
  const waiting = await ofTarget.select('id').where('state', '=', 'pending').limit(waitingAtMost).execute()
  if (waiting.length >= waitingAtMost) return
  await tx.insertInto('notification_deliveries').values(row).execute()
  const newest = ofTarget
    .select('id')
    .where('state', '<>', 'pending')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(kept)
  await tx
    .deleteFrom('notification_deliveries')
    .where('target_id', '=', row.target_id)
    .where('state', '<>', 'pending')
    .where('id', 'not in', newest)
    .execute()
}

/** Newest first. */
export const listDeliveries = (db: Db, targetId: string, limit: number): Promise<NotificationDeliveryRow[]> =>
  db
    .selectFrom('notification_deliveries')
    .selectAll()
    .where('target_id', '=', targetId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** The due ones, the longest due first, with at most `ofTarget` of one target, so that a slow one does not block the others. */
export const dueDeliveries = (
  db: Db,
  now: number,
  portion: { atMost: number; ofTarget: number; withoutTargets: string[] },
): Promise<NotificationDeliveryRow[]> =>
  db
    .selectFrom(eb =>
      eb
        .selectFrom('notification_deliveries')
        .selectAll()
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over(over => over.partitionBy('target_id').orderBy('next_at').orderBy('id'))
            .as('place'),
        )
        .where('next_at', '<=', now)
        .$if(portion.withoutTargets.length > 0, query =>
          query.where('target_id', 'not in', portion.withoutTargets),
        )
        .as('due'),
    )
    .selectAll('due')
    .where('due.place', '<=', portion.ofTarget)
    .orderBy('due.next_at')
    .orderBy('due.id')
    .limit(portion.atMost)
    .execute()

/** A compare and swap: one worker gets the attempt, and another may take over at `until`. */
export async function claimDelivery(
  db: Db,
  { id, attempts, next_at }: NotificationDeliveryRow,
  until: number,
): Promise<boolean> {
  const claimed = await db
    .updateTable('notification_deliveries')
    .set({ attempts: attempts + 1, next_at: until })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('next_at', '=', next_at)
    .executeTakeFirst()
  return claimed.numUpdatedRows === 1n
}

/** Records how the attempt went, unless another worker has taken over. */
export async function endAttempt(
  db: Db,
  { id, attempts }: Pick<NotificationDeliveryRow, 'id' | 'attempts'>,
  to: Partial<NotificationDeliveryRow>,
): Promise<void> {
  await db
    .updateTable('notification_deliveries')
    .set(to)
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/** Makes one due again, with all its attempts. Returns undefined if the target has no such delivery. */
export const sendAgain = (
  db: Db,
  targetId: string,
  id: string,
  now: number,
): Promise<NotificationDeliveryRow | undefined> =>
  db
    .updateTable('notification_deliveries')
    .set({ state: 'pending', attempts: 0, next_at: now, delivered_at: null })
    .where('id', '=', id)
    .where('target_id', '=', targetId)
    .returningAll()
    .executeTakeFirst()

export async function deleteOldNotifications(db: Db, before: number): Promise<void> {
  await db.deleteFrom('notification_deliveries').where('created_at', '<', before).execute()
}
