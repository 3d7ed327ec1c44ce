// How long the deployments of a project are kept, and which of them are older than that.
import type { Retention } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import type { Db, Tx } from '../store.ts'
import type { RetentionRow } from '../tables.ts'

const keepAll: Retention = { production_count: null, preview_days: null }

export async function findRetention(db: Db, projectId: string): Promise<Retention> {
  const row = await db
    .selectFrom('project_retention')
    .select(['production_count', 'preview_days'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row ?? keepAll
}

export async function saveRetention(tx: Tx, row: RetentionRow): Promise<void> {
  const { project_id, ...retention } = row
  await tx
    .insertInto('project_retention')
    .values(row)
    .onConflict(c => c.column('project_id').doUpdateSet(retention))
    .execute()
}

/** The projects that delete deployments by themselves. */
export const projectsWithRetention = (db: Db) =>
  db
    .selectFrom('project_retention')
    .innerJoin('projects', 'projects.id', 'project_retention.project_id')
    .select(['projects.id', 'projects.name', 'projects.org_id'])
    .where(eb => eb.or([eb('production_count', 'is not', null), eb('preview_days', 'is not', null)]))
    .execute()

/**
 * The deployments that a retention does not keep. The live one, those that a domain shows and those whose server app has not
 * ended are always kept.
 */
const expendable = (db: Db, projectId: string, { production_count, preview_days }: Retention, now: number) =>
  db
    .selectFrom('deployments')
    .where('deployments.project_id', '=', projectId)
    .where(eb =>
      eb.or([
        ...(production_count === null
          ? []
          : [
              eb.and([
                eb('deployments.status', '=', 'superseded'),
                eb(
                  'deployments.id',
                  'not in',
                  eb
                    .selectFrom('deployments as newest')
                    .select('newest.id')
                    .where('newest.project_id', '=', projectId)
                    .where('newest.status', '=', 'superseded')
                    .orderBy('newest.created_at', 'desc')
                    .orderBy('newest.id', 'desc')
                    .limit(production_count),
                ),
              ]),
            ]),
        ...(preview_days === null
          ? []
          : [
              eb.and([
                eb('deployments.status', '=', 'branch'),
                eb('deployments.created_at', '<', now - preview_days * dayMs),
              ]),
            ]),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('domains')
            .select('domains.domain')
            .whereRef('domains.deployment_id', '=', 'deployments.id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app_instances')
            .select('app_instances.id')
            .whereRef('app_instances.deployment_id', '=', 'deployments.id')
            .where('app_instances.state', '<>', 'ended'),
        ),
      ),
    )

export async function countExpendable(db: Db, projectId: string, retention: Retention, now: number) {
  const { deployments, bytes } = await expendable(db, projectId, retention, now)
    .select(({ fn }) => [fn.countAll().as('deployments'), fn.sum('deployments.size_bytes').as('bytes')])
    .executeTakeFirstOrThrow()
  return { deployments: Number(deployments), bytes: Number(bytes ?? 0) }
}

export async function someExpendable(
  db: Db,
  projectId: string,
  retention: Retention,
  { now, atMost }: { now: number; atMost: number },
): Promise<string[]> {
  const rows = await expendable(db, projectId, retention, now)
    .select('deployments.id')
    .orderBy('deployments.created_at')
    .limit(atMost)
    .execute()
  return rows.map(({ id }) => id)
}
