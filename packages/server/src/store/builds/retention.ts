// Which builds are old enough to be deleted. A build whose deployment exists is never old.
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '../store.ts'
import type { Tables } from '../tables.ts'

export async function projectsWithMoreBuilds(db: Db, than: number): Promise<string[]> {
  const count = db.fn.countAll()
  const rows = await db
    .selectFrom('builds')
    .select('project_id')
    .groupBy('project_id')
    .having(count, '>', than)
    .execute()
  return rows.map(row => row.project_id)
}

/** The oldest of the builds that are kept whatever became of them. */
type OldestKept = { project_id: string; created_at: number; id: string }

export const oldestKept = (db: Db, projectId: string, kept: number): Promise<OldestKept | undefined> =>
  db
    .selectFrom('builds')
    .select(['project_id', 'created_at', 'id'])
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(kept - 1)
    .limit(1)
    .executeTakeFirst()

const isOld = (eb: ExpressionBuilder<Tables, 'builds'>, { project_id, created_at, id }: OldestKept) =>
  eb.and([
    eb('builds.project_id', '=', project_id),
    eb('builds.finished_at', 'is not', null),
    sql<SqlBool>`(builds.created_at, builds.id) < (${created_at}, ${id})`,
    eb.not(
      eb.exists(
        eb
          .selectFrom('deployments')
          .select('deployments.id')
          .whereRef('deployments.id', '=', 'builds.deployment_id'),
      ),
    ),
  ])

/** Returns old builds whose log is not replaced by `note` yet. */
export async function oldBuildsWithLog(
  db: Db,
  oldest: OldestKept,
  note: string,
  atMost: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('builds')
    .select('builds.id')
    .where(eb => isOld(eb, oldest))
    .where(eb =>
      eb.exists(
        eb
          .selectFrom('build_logs')
          .select('build_logs.at')
          .whereRef('build_logs.build_id', '=', 'builds.id')
          .where('build_logs.text', '<>', note),
      ),
    )
    .limit(atMost)
    .execute()
  return rows.map(row => row.id)
}

export async function replaceBuildLog(tx: Tx, id: string, note: string): Promise<void> {
  await tx.deleteFrom('build_logs').where('build_id', '=', id).execute()
  const row = { build_id: id, at: 0, bytes: Buffer.byteLength(note), text: note, written_at: null }
  await tx.insertInto('build_logs').values(row).execute()
}

/** Deletes old builds that began before a time, or never began. Returns how many. */
export async function deleteOldBuilds(
  db: Db,
  oldest: OldestKept,
  startedBefore: number,
  atMost: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('builds')
    .where('id', 'in', eb =>
      eb
        .selectFrom('builds')
        .select('builds.id')
        .where(inner => isOld(inner, oldest))
        .where('builds.created_at', '<', startedBefore)
        .where(inner =>
          inner.or([inner('builds.started_at', 'is', null), inner('builds.started_at', '<', startedBefore)]),
        )
        .limit(atMost),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
