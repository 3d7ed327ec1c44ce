// Keyset pages over rows ordered by (created_at, id), newest first.
import { Fault } from './fault.ts'

export interface PageRequest {
  limit: number
  cursor?: string | undefined
}

export interface Position {
  created_at: number
  id: string
}

export function positionOf(cursor: string): Position {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!/^\d{1,15}$/.test(at) || !/^[a-z0-9_]+$/.test(id)) throw invalidCursor()
  return { created_at: Number(at), id }
}

export const invalidCursor = (): Fault =>
  new Fault('invalid_request', 'cursor is not valid: use the next_cursor of the page before')

/** `rows` has one row more than `limit` if there is another page. */
export const pageOf = <R extends Position>(
  rows: R[],
  limit: number,
): { rows: R[]; next_cursor: string | null } => pageBy(cursorOf, rows, limit)

/** The same, for rows in another order. */
export function pageBy<R>(
  cursorOf: (last: R) => string,
  rows: R[],
  limit: number,
): { rows: R[]; next_cursor: string | null } {
  const last = rows[limit - 1]
  if (rows.length <= limit || !last) return { rows, next_cursor: null }
  return { rows: rows.slice(0, limit), next_cursor: cursorOf(last) }
}

/** The cursor of the page after this row. */
export const cursorOf = ({ created_at, id }: Position): string =>
  Buffer.from(`${created_at} ${id}`).toString('base64url')
