// Traffic of the last hours.

import { limits } from '@svc/contract'
import { hourMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { hoursOf, type Span, topNames } from '../../store/stats/reading.ts'
import type { StatsHourRow } from '../../store/tables.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { eachOf, lastHours } from './spans.ts'

/** How many hostnames and cache results are listed at most. Few projects have as many. */
const wholeList = 100

export async function liveStats(
  platform: Rows & Pick<Platform, 'analytics'>,
  project: ProjectScope,
  hours: number,
) {
  if (!platform.analytics)
    throw new Fault('stats_unavailable', 'Analytics are switched off on this platform (SVCD_ANALYTICS).')
  const now = platform.clock.now()
  const span = lastHours(hours, now)
  try {
    return {
      project: project.name,
      from: isoTime(span.from),
      to: isoTime(now),
      ...(await read(platform, project, span)),
    }
  } catch (cause) {
    throw new Fault('cdn_error', 'The traffic could not be read. Try again in a moment.', { cause })
  }
}

async function read({ store: { aside: db } }: Pick<Platform, 'store'>, { id }: ProjectScope, span: Span) {
  const rows = await hoursOf(db, id, span)
  const cache = await topNames(db, id, 'cache', span, wholeList)
  const hosts = await topNames(db, id, 'host', span, wholeList)
  const paths = await topNames(db, id, 'path', span, limits.statsTop.paths)
  const countries = await topNames(db, id, 'country', span, limits.statsTop.countries)
  const sum = (column: keyof StatsHourRow) => rows.reduce((all, row) => all + Number(row[column]), 0)
  return {
    totals: { requests: sum('requests'), bytes: sum('bytes'), cache_hits: sum('cache_hits') },
    status: {
      '2xx': sum('status_2xx'),
      '3xx': sum('status_3xx'),
      '4xx': sum('status_4xx'),
      '5xx': sum('status_5xx'),
      other: sum('status_other'),
    },
    cache: Object.fromEntries(cache.map(({ name, requests }) => [name, requests])),
    hostnames: hosts.map(({ name, requests, bytes }) => ({ hostname: name, requests, bytes })),
    timeline: timelineOf(rows, span),
    top_paths: paths.map(({ name, requests, bytes }) => ({ path: name, requests, bytes })),
    top_countries: countries.map(({ name, requests }) => ({ country: name, requests })),
    // Totals stay exact. But lists are a sample if there were many names, and answers may have been lost under heavy load.
    truncated: sum('requests') > limits.statsEntries || sum('lost') > 0,
  }
}

function timelineOf(rows: StatsHourRow[], span: Span) {
  const known = new Map(rows.map(row => [row.hour, row]))
  return eachOf(span, hourMs).map(hour => {
    const { requests = 0, bytes = 0, cache_hits = 0 } = known.get(hour) ?? {}
    return { hour: isoTime(hour), requests, bytes, cache_hits }
  })
}
