// The problems that people were told of and that are not over.
import type { Db, Tx } from '../store.ts'
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

/** Crash loops that are over: the app has run since `readyBefore`, or its deployment is not served any more. */
export const endedCrashLoops = (db: Db, readyBefore: number) =>
  db
    .selectFrom('notification_incidents')
    .leftJoin('deployments', 'deployments.id', 'notification_incidents.subject')
    .select(['notification_incidents.project_id', 'notification_incidents.subject', 'deployments.status'])
    .where('notification_incidents.event', '=', 'app.crashing')
    .where(eb =>
      eb.or([
        eb('deployments.id', 'is', null),
        eb('deployments.status', '=', 'superseded'),
        eb.exists(
          eb
            .selectFrom('app_instances')
            .select('app_instances.id')
            .whereRef('app_instances.deployment_id', '=', 'notification_incidents.subject')
            .where('app_instances.state', '=', 'ready')
            .where('app_instances.ready_at', '<=', readyBefore),
        ),
      ]),
    )
    .limit(100)
    .execute()

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
