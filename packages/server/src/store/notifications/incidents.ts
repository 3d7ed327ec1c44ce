// The problems that people were told of and that are not over.
import type { Tx } from '../store.ts'
import type { NotificationIncidentRow } from '../tables.ts'

type Incident = Pick<NotificationIncidentRow, 'project_id' | 'event' | 'subject'>

/** Returns whether to tell of the problem: it is new, or the last notification is older than `remindAfterMs`. */
export async function openIncident(
  tx: Tx,
  incident: Incident,
  now: number,
  remindAfterMs: number,
): Promise<boolean> {
  const rows = await tx
    .insertInto('notification_incidents')
    .values({ ...incident, notified_at: now })
    .onConflict(c =>
      c
        .columns(['project_id', 'event', 'subject'])
        .doUpdateSet({ notified_at: now })
        .where('notification_incidents.notified_at', '<=', now - remindAfterMs),
    )
    .returning('subject')
    .execute()
  return rows.length > 0
}

/** Returns whether there was a problem. */
export async function closeIncident(tx: Tx, { project_id, event, subject }: Incident): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('notification_incidents')
    .where('project_id', '=', project_id)
    .where('event', '=', event)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return deleted.numDeletedRows > 0n
}
