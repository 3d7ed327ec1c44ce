// Traffic and audience by days, from the totals per hour.

import { limits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { type Span, sumsOf, topNames } from '../../store/stats/reading.ts'
import { dateOf } from '../base/periods.ts'
import type { Rows } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { type DaysAsked, eachOf, readDays } from './spans.ts'

export async function statsHistory(platform: Rows, project: ProjectScope, asked: DaysAsked) {
  const span = readDays(asked, platform.clock.now())
  const known = await sumsOf(platform.store.aside, project.id, span, 'day')
  const timeline = eachOf(span, dayMs).map(day => {
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
  const span = readDays(asked, platform.clock.now())
  const { pages, referrers, countries, browsers, devices, systems } = limits.statsTop
  const db = platform.store.aside
  const known = await sumsOf(db, project.id, span, 'day')
  const topPages = await topNames(db, project.id, 'view page', span, pages)
  const topReferrers = await topNames(db, project.id, 'view referrer', span, referrers)
  const topCountries = await topNames(db, project.id, 'view country', span, countries)
  const topBrowsers = await topNames(db, project.id, 'view browser', span, browsers)
  const topDevices = await topNames(db, project.id, 'view device', span, devices)
  const topSystems = await topNames(db, project.id, 'view system', span, systems)
  const timeline = eachOf(span, dayMs).map(day => {
    const { pageviews = 0, visitors = 0 } = known.get(day) ?? {}
    return { day: dateOf(day), pageviews, visitors }
  })
  return {
    ...headOf(project, span),
    totals: { pageviews: sumOfViews(timeline) },
    timeline,
    top_pages: topPages.map(({ name, requests }) => ({ path: name, views: requests })),
    top_referrers: topReferrers.map(({ name, requests }) => ({ referrer: name, views: requests })),
    top_countries: topCountries.map(({ name, requests }) => ({ country: name, views: requests })),
    top_browsers: topBrowsers.map(({ name, requests }) => ({ browser: name, views: requests })),
    top_devices: topDevices.map(({ name, requests }) => ({ device: name, views: requests })),
    top_systems: topSystems.map(({ name, requests }) => ({ system: name, views: requests })),
  }
}

export const sumOfViews = (timeline: readonly { pageviews: number }[]): number =>
  timeline.reduce((all, { pageviews }) => all + pageviews, 0)

export const headOf = ({ name }: ProjectScope, { from, to }: Span) => ({
  project: name,
  from: dateOf(from),
  to: dateOf(to - dayMs),
  days: (to - from) / dayMs,
})
