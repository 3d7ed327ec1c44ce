// Shows the traffic of the project: totals, a bar for each hour, and the top hosts, paths and countries.
import type { Answer, EndpointTable } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import { formatWhole } from '@svc/contract/whole-number'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, count, cyan, dim, minute, print, printJson, printTable, size } from '../../output.ts'
import { connect, required } from '../../session.ts'

type Stats = Sparse<Answer<EndpointTable['GET /projects/:name/stats']>>

const barWidth = 30
/** Characters for a part of a column, in eighths. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

export const showStats: Run = async ({ options }) => {
  const hours = windowOf(options.hours)
  const name = requireProject(options)
  const stats = await connect()('GET /projects/:name/stats', { params: { name }, query: { hours } })
  if (options.json) return printJson(stats)
  if (!required(stats, 'totals').requests)
    return print(`No requests to ${name} in the last ${count(+hours, 'hour')}.`)
  printTotals(stats)
  printSection('Requests per hour (UTC)', bars(stats.timeline ?? []))
  printSection(
    'Hostnames',
    ranking(stats.hostnames, row => clean(row.hostname)),
  )
  printSection(
    'Top paths',
    ranking(stats.top_paths, row => clean(row.path)),
  )
  printSection(
    'Countries',
    ranking(stats.top_countries, row => countryName(row.country ?? 'XX')),
  )
}

/** Checks the hours before the call, so that the message names the option. */
function windowOf(hours: string | undefined): string {
  const { min, max, default: usual } = limits.statsHours
  if (hours === undefined) return String(usual)
  if (!/^\d+$/.test(hours) || +hours < min || +hours > max)
    throw new Failure(`--hours must be a whole number from ${min} to ${max}.`)
  return String(+hours)
}

function printTotals({ totals, status, truncated }: Stats): void {
  const requests = totals?.requests ?? 0
  const cached = Math.round((100 * (totals?.cache_hits ?? 0)) / requests)
  const [refused, failed] = [status?.['4xx'] ?? 0, status?.['5xx'] ?? 0]
  printTable([
    ['Requests', `${bold(formatWhole(requests))}${truncated ? ' [sampled]' : ''} (${cached}% from cache)`],
    ['Bandwidth', bold(size(totals?.bytes))],
    [
      'Errors',
      `${bold(formatWhole(refused + failed))} (4xx ${formatWhole(refused)}, 5xx ${formatWhole(failed)})`,
    ],
  ])
}

function printSection(title: string, rows: string[][]): void {
  if (rows.length === 0) return
  print('')
  print(bold(title))
  printTable(rows)
}

function bars(timeline: NonNullable<Stats['timeline']>): string[][] {
  const most = Math.max(...timeline.map(({ requests }) => requests ?? 0))
  return timeline.map(({ hour, requests }) => [
    dim(minute(hour)),
    formatWhole(requests ?? 0).padStart(formatWhole(most).length),
    cyan(bar(most === 0 ? 0 : (requests ?? 0) / most)),
  ])
}

/** Draws a bar. A value above 0 has at least the thinnest line. */
function bar(share: number): string {
  const parts = share === 0 ? 0 : Math.max(1, Math.round(share * barWidth * 8))
  return '█'.repeat(Math.floor(parts / 8)) + eighths[parts % 8]
}

interface Counted {
  requests?: number | null | undefined
  bytes?: number | null | undefined
}

function ranking<Row extends Counted>(
  rows: Row[] | null | undefined,
  nameOf: (row: Row) => string,
): string[][] {
  const counts = (rows ?? []).map(({ requests }) => formatWhole(requests ?? 0))
  const width = Math.max(...counts.map(({ length }) => length))
  return (rows ?? []).map((row, i) => [nameOf(row), counts[i]!.padStart(width), dim(size(row.bytes))])
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

function countryName(code: string): string {
  if (code === 'XX') return 'unknown'
  const name = /^[A-Z]{2}$/.test(code) ? regions.of(code) : undefined
  return `${clean(code)} ${dim(name)}`
}
