// Scheduled jobs, their runs, and the secret that signs them.
import { sql } from 'kysely'
import type { Db, Tx } from '../store.ts'
import type { CronRow, CronRunRow, CronSecretRow } from '../tables.ts'

export type CronOfProject = CronRow & { project_name: string }

export const findCronSecret = (db: Db, projectId: string): Promise<CronSecretRow | undefined> =>
  db.selectFrom('cron_secrets').selectAll().where('project_id', '=', projectId).executeTakeFirst()

export async function insertCronSecret(tx: Tx, row: CronSecretRow): Promise<void> {
  await tx.insertInto('cron_secrets').values(row).execute()
}

/** Oldest first. */
export const listCrons = (db: Db, projectId: string): Promise<CronRow[]> =>
  db
    .selectFrom('crons')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

const withProject = (db: Db) =>
  db
    .selectFrom('crons')
    .innerJoin('projects', 'projects.id', 'crons.project_id')
    .selectAll('crons')
    .select('projects.name as project_name')

export const findCron = (db: Db, projectId: string, id: string): Promise<CronOfProject | undefined> =>
  withProject(db).where('crons.project_id', '=', projectId).where('crons.id', '=', id).executeTakeFirst()

export async function countCrons(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('crons')
    .select(eb => eb.fn.countAll().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertCron(tx: Tx, row: CronRow): Promise<void> {
  await tx.insertInto('crons').values(row).execute()
}

export async function updateCron(
  tx: Tx,
  id: string,
  change: Pick<CronRow, 'schedule' | 'path' | 'method' | 'enabled' | 'next_run_at'>,
): Promise<void> {
  await tx.updateTable('crons').set(change).where('id', '=', id).execute()
}

export async function deleteCron(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('crons').where('id', '=', id).execute()
}

export interface Portion {
  atMost: number
  /** Of one project, so that one with many does not take the place of all others. */
  ofProject: number
  withoutProjects: string[]
}

/** The jobs that are due, the longest due first. */
export const dueCrons = (db: Db, now: number, portion: Portion): Promise<CronOfProject[]> =>
  db
    .selectFrom(eb =>
      eb
        .selectFrom('crons')
        .selectAll()
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over(over => over.partitionBy('project_id').orderBy('next_run_at').orderBy('id'))
            .as('place'),
        )
        .where('next_run_at', '<=', now)
        .$if(portion.withoutProjects.length > 0, query =>
          query.where('project_id', 'not in', portion.withoutProjects),
        )
        .as('due'),
    )
    .innerJoin('projects', 'projects.id', 'due.project_id')
    .selectAll('due')
    .select('projects.name as project_name')
    .where('due.place', '<=', portion.ofProject)
    .orderBy('due.next_run_at')
    .orderBy('due.id')
    .limit(portion.atMost)
    .execute()

interface Claim {
  now: number
  run: string
  until: number
}

/**
 * Moves a job on to its next minute: a compare and swap, so that one worker does it. Returns true if the run is the caller's;
 * where another run is under way, or there is to be none, the minute passes without one.
 */
export async function claimDue(
  db: Db,
  seen: CronRow,
  claim: Omit<Claim, 'run'> & { run: string | null; next: number | null },
): Promise<boolean> {
  const { now, run, until, next } = claim
  const isFree = sql`(running is null or running_until <= ${now})`
  const rows = await db
    .updateTable('crons')
    .set(
      run === null
        ? { next_run_at: next }
        : {
            next_run_at: next,
            running: sql<string>`case when ${isFree} then ${run} else running end`,
            running_until: sql<number>`case when ${isFree} then ${until} else running_until end`,
          },
    )
    .where('id', '=', seen.id)
    .where('next_run_at', '=', seen.next_run_at)
    .returning('running')
    .execute()
  return run !== null && rows[0]?.running === run
}

/** Claims a run outside the schedule. Returns false while a run is under way. */
export async function claimNow(db: Db, id: string, { now, run, until }: Claim): Promise<boolean> {
  const claimed = await db
    .updateTable('crons')
    .set({ running: run, running_until: until })
    .where('id', '=', id)
    .where(eb => eb.or([eb('running', 'is', null), eb('running_until', '<=', now)]))
    .executeTakeFirst()
  return claimed.numUpdatedRows === 1n
}

/** Jobs that run next after that time, in the order of their ids. */
export const cronsAfter = (
  db: Db,
  after: { nextRunAfter: number; id: string },
  limit: number,
): Promise<CronRow[]> =>
  db
    .selectFrom('crons')
    .selectAll()
    .where('next_run_at', '>', after.nextRunAfter)
    .where('id', '>', after.id)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Returns false if another worker was faster. */
export async function moveNextRun(db: Db, seen: CronRow, next: number | null): Promise<boolean> {
  const moved = await db
    .updateTable('crons')
    .set({ next_run_at: next })
    .where('id', '=', seen.id)
    .where('next_run_at', '=', seen.next_run_at)
    .executeTakeFirst()
  return moved.numUpdatedRows === 1n
}

/** Records the run and releases the claim. Does nothing if the job was deleted meanwhile. */
export async function endRun(tx: Tx, run: CronRunRow, kept: number): Promise<void> {
  const locked = await tx
    .updateTable('crons')
    .set({
      running: sql<null>`case when running = ${run.id} then null else running end`,
      running_until: sql<null>`case when running = ${run.id} then null else running_until end`,
    })
    .where('id', '=', run.cron_id)
    .executeTakeFirst()
  if (locked.numUpdatedRows === 0n) return
  await tx.insertInto('cron_runs').values(run).execute()
  const newest = tx
    .selectFrom('cron_runs')
    .select('id')
    .where('cron_id', '=', run.cron_id)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(kept)
  await tx.deleteFrom('cron_runs').where('cron_id', '=', run.cron_id).where('id', 'not in', newest).execute()
}

/** Newest first. */
export const listRuns = (db: Db, cronId: string, limit: number): Promise<CronRunRow[]> =>
  db
    .selectFrom('cron_runs')
    .selectAll()
    .where('cron_id', '=', cronId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** The last run of each job of a project. */
export const lastRuns = (db: Db, projectId: string) =>
  db
    .selectFrom('cron_runs')
    .innerJoin('crons', 'crons.id', 'cron_runs.cron_id')
    .select(['cron_runs.cron_id', 'cron_runs.started_at', 'cron_runs.status'])
    .where('crons.project_id', '=', projectId)
    .where(eb =>
      eb(
        'cron_runs.id',
        '=',
        eb
          .selectFrom('cron_runs as other')
          .select('other.id')
          .whereRef('other.cron_id', '=', 'cron_runs.cron_id')
          .orderBy('other.started_at', 'desc')
          .orderBy('other.id', 'desc')
          .limit(1),
      ),
    )
    .execute()
