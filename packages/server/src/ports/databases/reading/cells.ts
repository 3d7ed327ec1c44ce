// The values of a page of rows. PostgreSQL shortens them, so that a value of 1 GB is not even read as a whole where that can be helped.
import pg from 'pg'
import type { Cell, ColumnOfTable } from '../port.ts'

/** Larger values of types that must be read as a whole are not shown. Stored bytes, which may be compressed. */
const readAsWhole = 1024 * 1024

const texts = new Set(
  [pg.types.builtins.TEXT, pg.types.builtins.VARCHAR, pg.types.builtins.BPCHAR].map(String),
)
const bytea = String(pg.types.builtins.BYTEA)

/** Two for each column: the beginning of the value, and its size. */
export function expressionsOf({ name, typeId }: ColumnOfTable, characters: number): [string, string] {
  const value = `t.${pg.escapeIdentifier(name)}`
  if (texts.has(typeId)) return [`left(${value}::text, ${characters + 1})`, `octet_length(${value}::text)`]
  if (typeId === bytea)
    return [`'\\x' || encode(substring(${value} from 1 for ${characters}), 'hex')`, `octet_length(${value})`]
  return [
    `case when pg_column_size(${value}) > ${readAsWhole} then '' else left(${value}::text, ${characters + 1}) end`,
    `pg_column_size(${value})`,
  ]
}

export function cellOf(value: unknown, bytes: unknown, characters: number): Cell {
  if (typeof value !== 'string') return null
  const letters = [...value]
  const isWhole = letters.length <= characters && !(value === '' && Number(bytes) > readAsWhole)
  return isWhole ? value : { start: letters.slice(0, characters).join(''), bytes: Number(bytes) }
}
