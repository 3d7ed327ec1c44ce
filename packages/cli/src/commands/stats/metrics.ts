// Shows how the app of the project did over time: requests, errors, answer times, memory and CPU, each as a line of bars.
import type { Answer, ChartRange, EndpointTable } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import { formatWhole } from '@svc/contract/whole-number'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { option } from '../../options.ts'
import { bold, cyan, dim, duration, minute, print, printJson, printTable, size } from '../../output.ts'
import { connect } from '../../session.ts'

type Charts = Sparse<Answer<EndpointTable['GET /projects/:name/stats/charts']>>
type Point = NonNullable<Charts['points']>[number]

/** A value of a point. `undefined` if nothing was measured. */
interface Figure {
  name: string
  of(point: Point): number | null | undefined
  words(value: number): string
  /** Of requests and errors the sum says more than the highest value. */
  isCounted?: true
}

const figures: readonly Figure[] = [
  { name: 'Requests', of: point => point.requests, words: formatWhole, isCounted: true },
  { name: 'Errors', of: point => point.errors, words: formatWhole, isCounted: true },
  { name: 'p95', of: point => point.p95_ms, words: duration },
  { name: 'Memory', of: point => point.memory_bytes, words: size },
  { name: 'CPU', of: point => point.cpu_cores, words: cores => `${Math.round(cores * 100)} % of a core` },
]

const columns = 60
const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

export const showMetrics: Run = async ({ options }) => {
  const range = rangeOf(options.range)
  const name = requireProject(options)
  const charts = await connect()('GET /projects/:name/stats/charts', { params: { name }, query: { range } })
  if (options.json) return printJson(charts)
  const points = charts.points ?? []
  const rows = figures.flatMap(figure => rowOf(figure, points))
  if (rows.length === 0)
    return print(
      `No requests to ${name} in the last ${range}, and no app of it ran. The last minute counts when it is over.`,
    )
  print(dim(`${minute(charts.from)} to ${minute(charts.to)} (UTC)`))
  printTable(rows)
}

function rangeOf(given = '1h'): ChartRange {
  const { choices = [] } = option('range')
  if (choices.includes(given)) return given as ChartRange
  throw new Failure(
    `--range must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}, not '${given}'.`,
  )
}

function rowOf({ name, of, words, isCounted }: Figure, points: readonly Point[]): string[][] {
  const values = points.map(point => of(point) ?? undefined)
  const known = values.filter(value => value !== undefined)
  const highest = Math.max(0, ...known)
  if (known.length === 0 || (isCounted && highest === 0)) return []
  const sum = known.reduce((all, value) => all + value, 0)
  const number = isCounted ? words(sum) : `up to ${words(highest)}`
  return [
    [
      name,
      bold(number),
      cyan(
        joined(values)
          .map(value => block(value, highest))
          .join(''),
      ),
    ],
  ]
}

/** At most as many values as there are columns, each the highest of its neighbours. */
function joined(values: readonly (number | undefined)[]): (number | undefined)[] {
  const each = Math.ceil(values.length / columns)
  return Array.from({ length: Math.ceil(values.length / each) }, (_, i) => {
    const some = values.slice(i * each, (i + 1) * each).filter(value => value !== undefined)
    return some.length === 0 ? undefined : Math.max(...some)
  })
}

const block = (value: number | undefined, highest: number): string => {
  if (value === undefined || highest === 0) return ' '
  return blocks[Math.min(blocks.length - 1, Math.floor((value / highest) * blocks.length))] ?? ' '
}
