// What queries read: the plan of SQLite, and the rows that PostgreSQL counts.
import type { CompiledQuery, QueryId } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '../store/store.ts'

/** The same database. The queries that it has run are added to `noted`: prepared ones and others. */
export function noting(db: Db, noted: CompiledQuery[]): Db {
  const compiled = new WeakMap<QueryId, CompiledQuery>()
  const asBuilt = db.withPlugin({
    transformQuery({ node, queryId }) {
      compiled.set(queryId, db.getExecutor().compileQuery(node, queryId))
      return node
    },
    async transformResult({ queryId, result }) {
      noted.push(compiled.get(queryId)!)
      return result
    },
  })
  return new Proxy(asBuilt, {
    get(target, name) {
      if (name === 'executeQuery')
        return (query: CompiledQuery) => {
          noted.push(query)
          return db.executeQuery(query)
        }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

interface PlanNode {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** How many rows of the table the step of the query that reads most of them reads. PostgreSQL runs the query for it. */
export async function mostRowsRead(db: Db, query: CompiledQuery, table: string): Promise<number> {
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>({
    ...(query as CompiledQuery<never>),
    sql: `explain (analyze, format json) ${query.sql}`,
  })
  const readBy = (node: PlanNode): number =>
    node['Relation Name'] === table
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0
  const most = (node: PlanNode): number => Math.max(readBy(node), ...(node.Plans ?? []).map(most))
  return most(rows[0]!['QUERY PLAN'][0]!.Plan)
}

/** The steps of SQLite's plan that read one of the tables. There is at least one. */
export async function stepsOn(db: Db, query: CompiledQuery, tables: readonly string[]): Promise<string[]> {
  const { rows } = await db.executeQuery<{ detail: string }>({
    ...(query as CompiledQuery<never>),
    sql: `explain query plan ${query.sql}`,
  })
  const reading = new RegExp(`^(SCAN|SEARCH) (${tables.join('|')})\\b`)
  const steps = rows.map(({ detail }) => detail).filter(step => reading.test(step))
  expect(steps.length).toBeGreaterThan(0)
  return steps
}
