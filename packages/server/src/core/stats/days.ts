// Traffic and audience by days, from the totals per hour.

import { limits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { daysOf, type Span, topNames } from '../../store/stats/reading.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import type { Rows } from '../platform/platform.ts'
import { dateOf, dayOf, readDate } from './periods.ts'

interface DaysAsked {
  days?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export async function statsHistory(platform: Rows, project: ProjectScope, asked: DaysAsked) {
  const span = readSpan(asked, platform.clock.now())
  const known = await daysOf(platform.store.aside, project.id, span)
  const timeline = eachDay(span).map(day => {
    const { requests = 0, bytes = 0, cache_hits = 0 } = known.get(day) ?? {}
    return { day: dateOf(day), requests, bytes, cache_hits }
  })
  const totals = { requests: 0, bytes: 0, cache_hits: 0 }
  for (const { requests, bytes, cache_hits } of timeline) {
    totals.requests += requests
    totals.bytes += bytes
    totals.cache_hits += cache_hits
  }
  return { ...headOf(project, span), totals, timeline }
}

export async function statsAudience(platform: Rows, project: ProjectScope, asked: DaysAsked) {
  const span = readSpan(asked, platform.clock.now())
  const { pages, referrers, countries } = limits.statsTop
  const db = platform.store.aside
  const known = await daysOf(db, project.id, span)
  const topPages = await topNames(db, project.id, 'view page', span, pages)
  const topReferrers = await topNames(db, project.id, 'view referrer', span, referrers)
  const topCountries = await topNames(db, project.id, 'view country', span, countries)
  const timeline = eachDay(span).map(day => {
    const { pageviews = 0, visitors = 0 } = known.get(day) ?? {}
    return { day: dateOf(day), pageviews, visitors }
  })
  return {
    ...headOf(project, span),
    totals: { pageviews: timeline.reduce((all, { pageviews }) => all + pageviews, 0) },
    timeline,
    top_pages: topPages.map(({ name, requests }) => ({ path: name, views: requests })),
    top_referrers: topReferrers.map(({ name, requests }) => ({ referrer: name, views: requests })),
    top_countries: topCountries.map(({ name, requests }) => ({ country: name, views: requests })),
  }
}

const headOf = ({ name }: ProjectScope, { from, to }: Span) => ({
  project: name,
  from: dateOf(from),
  to: dateOf(to - dayMs),
  days: (to - from) / dayMs,
})

const eachDay = ({ from, to }: Span): number[] =>
  Array.from({ length: (to - from) / dayMs }, (_, i) => from + i * dayMs)

/** The last `days` days, today included, or the days from `from` to `to`, both included. */
function readSpan({ days, from, to }: DaysAsked, now: number): Span {
  if (from === undefined && to === undefined) {
    const end = dayOf(now) + dayMs
    return { from: end - readDays(days) * dayMs, to: end }
  }
  if (days !== undefined) throw invalid('Give either days, or from and to.')
  if (from === undefined || to === undefined) throw invalid('from and to belong together.')
  const [first, last] = [readDate(from), readDate(to)]
  if (first === undefined) throw invalid('from: must be a day such as 2026-01-31')
  if (last === undefined) throw invalid('to: must be a day such as 2026-01-31')
  if (last < first) throw invalid('to: must not be before from')
  const { max } = limits.statsDays
  if ((last - first) / dayMs >= max) throw invalid(`from and to: must span at most ${max} days`)
  return { from: first, to: last + dayMs }
}

function readDays(days: string | undefined): number {
  const { min, max, default: usual } = limits.statsDays
  if (days === undefined) return usual
  const number = Number(days)
  if (!/^\d{1,6}$/.test(days) || number < min || number > max)
    throw invalid(`days: must be a whole number from ${min} to ${max}`)
  return number
}

const invalid = (message: string): Fault => new Fault('invalid_request', message)
