// Traffic of the linked project: totals, a bar for each hour, and who was asked for what from where.
import type { Answer, EndpointTable } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import type { Run } from '../command.ts'
import { Failure } from '../failure.ts'
import { requireProject } from '../link.ts'
import { bold, clean, count, cyan, dim, minute, print, printJson, printTable, size } from '../output.ts'
import { connect } from '../session.ts'

type Stats = Answer<EndpointTable['GET /projects/:name/stats']>

const barWidth = 30
/** Parts of a column, from an eighth up. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

export const showStats: Run = async ({ options }) => {
  const hours = windowOf(options.hours)
  const name = requireProject(options)
  const stats = await connect()('GET /projects/:name/stats', { params: { name }, query: { hours } })
  if (options.json) return printJson(stats)
  if (stats.totals.requests === 0)
    return print(`No requests to ${name} in the last ${count(+hours, 'hour')}.`)
  printTotals(stats)
  printSection('Requests per hour (UTC)', bars(stats.timeline))
  printSection('Hostnames', ranking(stats.hostnames.map(row => ({ name: clean(row.hostname), ...row }))))
  printSection('Top paths', ranking(stats.top_paths.map(row => ({ name: clean(row.path), ...row }))))
  printSection(
    'Countries',
    ranking(stats.top_countries.map(row => ({ name: countryName(row.country), ...row }))),
  )
}

/** Checked here, too, for words that name the option. */
function windowOf(hours: string | undefined): string {
  const { min, max, default: usual } = limits.statsHours
  if (hours === undefined) return String(usual)
  if (!/^\d+$/.test(hours) || +hours < min || +hours > max)
    throw new Failure(`--hours must be a whole number from ${min} to ${max}.`)
  return String(+hours)
}

function printTotals({ totals, status, truncated }: Stats): void {
  const cached = Math.round((100 * totals.cache_hits) / totals.requests)
  const errors = status['4xx'] + status['5xx']
  printTable([
    ['Requests', `${bold(number(totals.requests))}${truncated ? ' [sampled]' : ''} (${cached}% from cache)`],
    ['Bandwidth', bold(size(totals.bytes))],
    ['Errors', `${bold(number(errors))} (4xx ${number(status['4xx'])}, 5xx ${number(status['5xx'])})`],
  ])
}

function printSection(title: string, rows: string[][]): void {
  if (rows.length === 0) return
  print('')
  print(bold(title))
  printTable(rows)
}

function bars(timeline: Stats['timeline']): string[][] {
  const most = Math.max(...timeline.map(({ requests }) => requests))
  return timeline.map(({ hour, requests }) => [
    dim(minute(hour)),
    number(requests).padStart(number(most).length),
    cyan(bar(requests / most)),
  ])
}

/** At least the thinnest line for what is not nothing. */
function bar(share: number): string {
  const parts = share === 0 ? 0 : Math.max(1, Math.round(share * barWidth * 8))
  return '█'.repeat(Math.floor(parts / 8)) + eighths[parts % 8]
}

function ranking(rows: { name: string; requests: number; bytes?: number }[]): string[][] {
  const width = Math.max(...rows.map(({ requests }) => number(requests).length))
  return rows.map(({ name, requests, bytes }) => [
    name,
    number(requests).padStart(width),
    bytes === undefined ? '' : dim(size(bytes)),
  ])
}

const number = (n: number): string => n.toLocaleString('en-US')

function countryName(code: string): string {
  if (code === 'XX') return 'unknown'
  return `${clean(code)} ${dim(new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code) ?? '')}`
}
