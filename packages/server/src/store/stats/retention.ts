// Deletes stats that are old enough.
import { deletedAtOnce, deleteInBatches } from '../in-batches.ts'
import type { Db } from '../store.ts'
import type { StatsNameRow } from '../tables.ts'

export async function deleteOldHours(db: Db, before: number): Promise<void> {
  await deleteInBatches(() =>
    db
      .deleteFrom('stats_hours')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('project_id', 'hour'),
          'in',
          selectFrom('stats_hours')
            .select(['project_id', 'hour'])
            .where('hour', '<', before)
            .limit(deletedAtOnce)
            .$asTuple('project_id', 'hour'),
        ),
      )
      .executeTakeFirst(),
  )
}

export async function deleteOldNames(db: Db, kind: StatsNameRow['kind'], before: number): Promise<void> {
  await deleteInBatches(() =>
    db
      .deleteFrom('stats_names')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('project_id', 'kind', 'since', 'name'),
          'in',
          selectFrom('stats_names')
            .select(['project_id', 'kind', 'since', 'name'])
            .where('kind', '=', kind)
            .where('since', '<', before)
            .limit(deletedAtOnce)
            .$asTuple('project_id', 'kind', 'since', 'name'),
        ),
      )
      .executeTakeFirst(),
  )
}

export async function deleteOldVisitors(db: Db, before: number): Promise<void> {
  await deleteInBatches(() =>
    db
      .deleteFrom('stats_visitors')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('project_id', 'day', 'hash'),
          'in',
          selectFrom('stats_visitors')
            .select(['project_id', 'day', 'hash'])
            .where('day', '<', before)
            .limit(deletedAtOnce)
            .$asTuple('project_id', 'day', 'hash'),
        ),
      )
      .executeTakeFirst(),
  )
}
