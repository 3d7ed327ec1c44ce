// What the AI gateway counted: added up in rows, and read by owner.
import { sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { AiMonthRow, AiUsageRow } from '../tables.ts'

const counts = [
  'requests',
  'uncounted',
  'unpriced',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'cost',
] as const

export type AiCounts = Pick<AiUsageRow, (typeof counts)[number]>

/** Which of these tokens still exist: those of a deleted org are gone. */
export async function existingTokens(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.selectFrom('tokens').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** The names of models that an owner used since a day. */
export async function modelsSince(db: Db, ownerId: string, since: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('ai_usage')
    .select('model')
    .distinct()
    .where('owner_id', '=', ownerId)
    .where('day', '>=', since)
    .execute()
  return new Set(rows.map(({ model }) => model))
}

export async function addAiUsage(tx: Tx, row: AiUsageRow): Promise<void> {
  await tx
    .insertInto('ai_usage')
    .values(row)
    .onConflict(c =>
      c
        .columns(['owner_id', 'day', 'model', 'token_id'])
        .doUpdateSet(
          Object.fromEntries(
            counts.map(column => [
              column,
              sql<number>`${sql.ref(`ai_usage.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
            ]),
          ),
        ),
    )
    .execute()
}

export async function addAiCost(tx: Tx, row: AiMonthRow): Promise<void> {
  await tx
    .insertInto('ai_months')
    .values(row)
    .onConflict(c =>
      c.columns(['owner_id', 'month']).doUpdateSet({ cost: sql<number>`ai_months.cost + excluded.cost` }),
    )
    .execute()
}

const findMonth = prepared((db, ownerId: string, month: number) =>
  db.selectFrom('ai_months').select('cost').where('owner_id', '=', ownerId).where('month', '=', month),
)

/** In micro-cents. */
export async function costOfMonth(db: Db, ownerId: string, month: number): Promise<number> {
  const { rows } = await findMonth(db, ownerId, month)
  return Number(rows[0]?.cost ?? 0)
}

export interface AiDay extends AiCounts {
  day: number
  model: string
}

/** From `from` up to, not including, `to`; all tokens of the owner together. */
export async function aiDays(
  db: Db,
  ownerId: string,
  { from, to }: { from: number; to: number },
): Promise<AiDay[]> {
  const rows = await db
    .selectFrom('ai_usage')
    .select(['day', 'model'])
    .select(eb => counts.map(column => eb.fn.sum<number | string>(column).as(column)))
    .where('owner_id', '=', ownerId)
    .where('day', '>=', from)
    .where('day', '<', to)
    .groupBy(['day', 'model'])
    .orderBy('day')
    .orderBy('model')
    .execute()
  return rows.map(({ day, model, ...sums }) => {
    const numbers = Object.entries(sums).map(([name, sum]) => [name, Number(sum)])
    return { day: Number(day), model, ...(Object.fromEntries(numbers) as AiCounts) }
  })
}

export async function deleteOldAiUsage(db: Db, before: number): Promise<void> {
  await db.deleteFrom('ai_usage').where('day', '<', before).execute()
  await db.deleteFrom('ai_months').where('month', '<', before).execute()
}
