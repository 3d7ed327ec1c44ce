// The tables of a database and one page of the rows of one. Names come from the catalog, and from strangers.
import pg from 'pg'
import type { ColumnOfTable, RowsAsked, RowsOfTable, TableInList, TablesOfDatabase } from '../port.ts'
import { ownMark } from '../slow-statements.ts'
import { cellOf, expressionsOf } from './cells.ts'

const tablesAtMost = 500
const columnsAtMost = 100
/** Of all cells of an answer together, and of one. */
const [charactersAtMost, longestCell, shortestCell] = [500_000, 500, 50]

const kinds: Record<string, TableInList['kind']> = {
  r: 'table',
  p: 'table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
}
const ofUsers = `c.relkind = any('{r,p,v,m,f}') and not c.relispartition
  and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`

export async function listTables(client: pg.Client): Promise<TablesOfDatabase> {
  // To measure a table waits for whoever has locked it as a whole.
  const { rows } = await client.query<Record<string, string | null>>(
    `${ownMark} select n.nspname as schema, c.relname as name, c.relkind as kind, nullif(c.reltuples, -1) as rows,
       case when c.relkind not in ('r', 'm') or exists (
         select from pg_locks l where l.relation = c.oid and l.mode = 'AccessExclusiveLock'
       ) then null else pg_total_relation_size(c.oid) end as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${ofUsers} order by n.nspname, c.relname limit $1`,
    [tablesAtMost + 1],
  )
  const tables = rows.slice(0, tablesAtMost).map(({ schema, name, kind, rows: estimate, bytes }) => ({
    schema: schema ?? '',
    name: name ?? '',
    kind: kinds[kind ?? ''] ?? 'table',
    // Nobody counts those of a view.
    rows: estimate == null || kind === 'v' ? null : Math.round(Number(estimate)),
    bytes: bytes == null ? null : Number(bytes),
  }))
  return { tables, more: rows.length > tablesAtMost }
}

/** `undefined` if there is no such table. */
export async function readRows(client: pg.Client, asked: RowsAsked): Promise<RowsOfTable | undefined> {
  const { limit, offset } = asked
  const found = await client.query<{ oid: string; name: string }>(
    `${ownMark} select c.oid, format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = $2 and ${ofUsers.replace('and not c.relispartition', '')}`,
    [asked.schema, asked.name],
  )
  const table = found.rows[0]
  if (!table) return undefined
  const all = await columnsOf(client, table.oid)
  const columns = all.slice(0, columnsAtMost)
  const characters = Math.max(
    shortestCell,
    Math.min(longestCell, Math.floor(charactersAtMost / (limit * Math.max(1, columns.length)))),
  )
  const key = all.filter(({ keyAt }) => keyAt !== null).sort((a, b) => Number(a.keyAt) - Number(b.keyAt))
  const order =
    key.length > 0 ? `order by ${key.map(({ name }) => `t.${pg.escapeIdentifier(name)}`).join()}` : ''
  const expressions = columns.flatMap(column => expressionsOf(column, characters))
  const { rows } = await client.query<(string | number | null)[]>({
    text: `${ownMark} select ${expressions.join()} from ${table.name} as t ${order} limit ${limit + 1} offset ${offset}`,
    rowMode: 'array',
  })
  return {
    columns: columns.map(({ name, type, keyAt }) => ({ name, type, isKey: keyAt !== null })),
    moreColumns: all.length > columnsAtMost,
    rows: rows
      .slice(0, limit)
      .map(row => columns.map((_, at) => cellOf(row[2 * at], row[2 * at + 1], characters))),
    more: rows.length > limit,
  }
}

async function columnsOf(client: pg.Client, oid: string): Promise<ColumnOfTable[]> {
  const { rows } = await client.query<ColumnOfTable>(
    `${ownMark} select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.atttypid::int8::text as "typeId",
       array_position(i.indkey::int2[], a.attnum) as "keyAt"
     from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
     where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [oid],
  )
  return rows
}
