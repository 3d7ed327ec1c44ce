// The main numbers of a site over time, and those of the period before, to compare.
import { dayMs, hourMs } from '@svc/contract/durations'
import { type Counted, counted, type Span, sumsOf } from '../../store/stats/reading.ts'
import { dayOf, hourOf } from '../base/periods.ts'
import type { Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { totalsAndDayListsKept } from './retention.ts'
import { type DaysAsked, eachOf, readPeriod } from './spans.ts'

export async function statsSummary(
  platform: Rows,
  project: ProjectScope,
  asked: DaysAsked & { hours?: string | undefined },
) {
  const now = platform.clock.now()
  const { span, per } = readPeriod(asked, now)
  const db = platform.store.aside
  const known = await sumsOf(db, project.id, span, per)
  const before = periodBefore(span, now)
  const previous = before && (await sumsOf(db, project.id, before, 'day'))
  const totals = sumOf(known)
  return {
    project: project.name,
    from: isoTime(span.from),
    to: isoTime(Math.min(span.to, Math.max(now, span.from))),
    per,
    totals: mainNumbers(totals),
    previous: previous ? mainNumbers(sumOf(previous)) : null,
    status: {
      '2xx': totals.status_2xx,
      '3xx': totals.status_3xx,
      '4xx': totals.status_4xx,
      '5xx': totals.status_5xx,
      other: totals.status_other,
    },
    timeline: eachOf(span, per === 'hour' ? hourMs : dayMs).map(at => ({
      at: isoTime(at),
      ...mainNumbers(known.get(at) ?? nothing),
    })),
  }
}

const nothing = Object.fromEntries(counted.map(column => [column, 0])) as Counted

function sumOf(known: ReadonlyMap<number, Counted>): Counted {
  const sum = { ...nothing }
  for (const counts of known.values()) for (const column of counted) sum[column] += counts[column]
  return sum
}

const mainNumbers = ({ visitors, pageviews, requests, bytes, cache_hits, status_5xx }: Counted) => ({
  visitors,
  pageviews,
  requests,
  bytes,
  cache_hits,
  errors: status_5xx,
})

/**
 * The same length of time before. If the period is not over, only as much of the earlier one, so that a morning is not compared
 * with a whole day. `undefined` if counts of that time may have been deleted.
 */
function periodBefore({ from, to }: Span, now: number): Span | undefined {
  const length = to - from
  const over = Math.max(from, Math.min(to, hourOf(now) + hourMs))
  const before = { from: from - length, to: over - length }
  return before.from < dayOf(now) - totalsAndDayListsKept ? undefined : before
}
