// What pg_stat_statements has measured of a project's statements. It is asked as the role of the project: PostgreSQL itself hides the
// statements of other roles from that.
import type pg from 'pg'
import type { SlowStatement } from './port.ts'
import { withoutValues } from './statement-text.ts'

/** Statements of svcd itself begin with it, and are not counted among those of the project. */
export const ownMark = '/* svcd */'

/** Of those with the most time, which of those are shown that have a text. */
const lookedAt = 500
const shown = 20
const longestText = 2_000
const longestShown = 500

/** Not installed, not loaded, older than PostgreSQL 13, or not for every role. */
const missing = ['0A000', '58P01', '55000', '42703', '42P01', '42501']

/** `undefined` if the server does not measure them. `role` is quoted. `client` is used no more afterwards. */
export async function slowStatements(
  client: pg.Client,
  name: string,
  role: string,
): Promise<SlowStatement[] | undefined> {
  const schema = await schemaOf(client)
  if (schema === undefined) return undefined
  try {
    await client.query(`begin read only; set local statement_timeout = '10s'; set local role ${role}`)
    const { rows } = await client.query<Record<string, string>>(
      `select left(s.query, $2) as query, s.calls, s.total_exec_time as total, s.mean_exec_time as mean, s.rows,
         coalesce(s.total_exec_time / nullif(sum(s.total_exec_time) over (), 0), 0) as share
       from ${schema}.pg_stat_statements s
       join pg_database d on d.oid = s.dbid join pg_roles r on r.oid = s.userid
       where d.datname = $1 and r.rolname = $1 and not starts_with(s.query, $4) order by s.total_exec_time desc limit $3`,
      [name, longestText, lookedAt, ownMark],
    )
    return described(rows)
  } catch (error) {
    if (missing.includes((error as pg.DatabaseError).code ?? '')) return undefined
    throw error
  }
}

function described(rows: Record<string, string>[]): SlowStatement[] {
  const statements: SlowStatement[] = []
  for (const { query, calls, total, mean, rows: returned, share } of rows) {
    const text = withoutValues(query ?? '')
    if (text === undefined) continue
    statements.push({
      query: text.length > longestShown ? `${text.slice(0, longestShown)}…` : text,
      calls: Number(calls),
      totalMs: Number(total),
      meanMs: Number(mean),
      rows: Number(returned),
      share: Number(share),
    })
    if (statements.length === shown) break
  }
  return statements
}

async function schemaOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ schema: string }>(
    `select quote_ident(n.nspname) as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
     where e.extname = 'pg_stat_statements'`,
  )
  return rows[0]?.schema
}

/** Makes what shows them, if the server has it. */
export async function installStatements(client: pg.Client): Promise<void> {
  if ((await schemaOf(client)) !== undefined) return
  await client.query('create extension pg_stat_statements').catch((error: pg.DatabaseError) => {
    if (!missing.includes(error.code ?? '')) throw error
  })
}

/** Of all projects. That empties their file, too. */
export async function forgetStatements(client: pg.Client): Promise<void> {
  await installStatements(client)
  const schema = await schemaOf(client)
  if (schema !== undefined) await client.query(`select ${schema}.pg_stat_statements_reset()`)
}
