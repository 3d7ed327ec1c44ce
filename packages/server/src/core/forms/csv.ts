// Exports a form as CSV for spreadsheets.
import { csvLine } from '../../lib/csv.ts'
import type { Position } from '../../lib/page.ts'
import { type FormKey, listSubmissions } from '../../store/forms/forms.ts'
import type { Db } from '../../store/store.ts'
import type { SubmissionRow } from '../../store/tables.ts'
import { isoTime } from '../base/times.ts'

const rowsAtOnce = 50
/** The most columns. Visitors may send fields of any name, so further fields go into a last column as JSON. */
const columnsAtMost = 1_000
const longestColumn = 200

const own = ['id', 'created_at', 'country', 'referrer'] as const

/** Yields all submissions in pieces, newest first. A submission that arrives during the export is not part of it. */
export async function* exportCsv(db: Db, key: FormKey): AsyncGenerator<string> {
  const { names, overflow, newest } = await survey(db, key)
  yield csvLine([...own, ...names.map(columnName), ...(overflow ? ['other fields'] : [])])
  for await (const rows of pages(db, key))
    yield rows
      .filter(row => newest !== undefined && !isNewer(row, newest))
      .map(row => csvLine(cells(row, names, overflow)))
      .join('')
}

interface Survey {
  names: string[]
  overflow: boolean
  newest: Position | undefined
}

/** The names of all fields of all submissions, in the order of their first use. */
async function survey(db: Db, key: FormKey): Promise<Survey> {
  const names = new Set<string>()
  let overflow = false
  let newest: Position | undefined
  for await (const rows of pages(db, key)) {
    newest ??= rows[0]
    for (const row of rows)
      for (const name of Object.keys(fieldsOf(row)))
        if (names.size < columnsAtMost && name.length <= longestColumn) names.add(name)
        else overflow ||= !names.has(name)
  }
  return { names: [...names], overflow, newest }
}

const isNewer = (row: Position, than: Position): boolean =>
  row.created_at > than.created_at || (row.created_at === than.created_at && row.id > than.id)

async function* pages(db: Db, key: FormKey): AsyncGenerator<SubmissionRow[]> {
  let cursor: string | undefined
  do {
    const page = await listSubmissions(db, key, { limit: rowsAtOnce, cursor })
    yield page.rows
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

function cells(row: SubmissionRow, names: string[], overflow: boolean): string[] {
  const fields = new Map(Object.entries(fieldsOf(row)))
  const written = [row.id, isoTime(row.created_at), row.country ?? '', row.referrer ?? '']
  for (const name of names) {
    written.push(submittedText(fields.get(name)))
    fields.delete(name)
  }
  if (overflow) written.push(fields.size === 0 ? '' : JSON.stringify(Object.fromEntries(fields)))
  return written
}

const fieldsOf = (row: SubmissionRow): Record<string, unknown> => JSON.parse(row.fields)

/** A submitted value as text. A list of choices is one line; other objects are written as JSON. */
export function submittedText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every(item => typeof item !== 'object' || item === null))
    return value.map(submittedText).join('; ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A field that has the name of a fixed column gets the prefix `fields.`. */
const columnName = (name: string): string =>
  (own as readonly string[]).includes(name) ? `fields.${name}` : name
