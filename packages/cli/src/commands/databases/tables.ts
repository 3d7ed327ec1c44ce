// The tables of the project's database, and rows of one.
import type { TableRows } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, dim, notice, print, printJson, printTable, size } from '../../output.ts'
import { connect, required } from '../../session.ts'

const usually = 20
/** Of a value, on a line. */
const longestShown = 60

export const showTables: Run = async ({ options }) => {
  const name = requireProject(options)
  const query = { branch: options.branch }
  const answer = await connect()('GET /projects/:name/database/tables', { params: { name }, query })
  if (options.json) return printJson(answer)
  const tables = required(answer, 'tables')
  if (tables.length === 0) return print('The database has no tables yet.')
  printTable([
    ['Table', 'Rows', 'Size', ''],
    ...tables.map(({ schema, name: table, rows, bytes, kind }) => [
      clean(schema && schema !== 'public' ? `${schema}.${table ?? ''}` : table),
      rows == null ? '' : `~${rows}`,
      bytes == null ? '' : size(bytes),
      kind === 'table' ? '' : dim(kind ?? ''),
    ]),
  ])
  if (answer.more) notice('There are more tables than these.')
}

export const showRows: Run = async ({ args: [table = ''], options }) => {
  const name = requireProject(options)
  const { branch, schema } = options
  const limit = numberOf(options.limit, '--limit', { min: 1, max: limits.tableRows.max }) ?? usually
  const offset = numberOf(options.skip, '--skip', { min: 0, max: limits.tableOffset }) ?? 0
  const body = { table, schema, limit, offset, branch }
  const answer = await connect()('POST /projects/:name/database/rows', { params: { name }, body })
  if (options.json) return printJson(answer)
  const rows = required(answer, 'rows')
  if (rows.length === 0) return print(offset > 0 ? 'No more rows.' : 'The table has no rows.')
  printTable([
    (answer.columns ?? []).map(column => bold(clean(column.name))),
    ...rows.map(row => (Array.isArray(row) ? row.map(shown) : [])),
  ])
  if (answer.more_columns) notice('The table has more columns than these 100.')
  if (answer.more) notice(`There are more rows. --skip ${offset + rows.length} shows the next.`)
}

type Cell = Sparse<TableRows['rows'][number][number]>

function shown(cell: Cell | null | undefined): string {
  if (cell == null) return dim('NULL')
  const text = clean(typeof cell === 'string' ? cell : cell.start).replace(/\s+/g, ' ')
  const start = [...text].slice(0, longestShown).join('')
  return start.length < text.length || typeof cell !== 'string' ? `${start}…` : start
}

function numberOf(
  text: string | undefined,
  option: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d{1,9}$/.test(text) && number >= min && number <= max) return number
  throw new Failure(`${option} must be a whole number from ${min} to ${max}, not '${text}'.`)
}
