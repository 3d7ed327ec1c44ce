// The pageviews that fit some filters, such as those of one page or from one country.
import { limits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { namesOf, sumsOf } from '../../store/stats/reading.ts'
import { dateOf } from '../base/periods.ts'
import type { Rows } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { type Facet, facets, separate, type View } from './combined-views.ts'
import { headOf, sumOfViews } from './days.ts'
import { type DaysAsked, eachOf, readDays } from './spans.ts'

type Filters = Partial<Record<Facet, string | undefined>>

export async function statsBreakdown(platform: Rows, project: ProjectScope, asked: DaysAsked & Filters) {
  const { days, from, to, ...filters } = asked
  const span = readDays({ days, from, to }, platform.clock.now())
  if ((span.to - span.from) / dayMs > limits.breakdownDays)
    throw new Fault('invalid_request', `A breakdown spans at most ${limits.breakdownDays} days.`)
  const db = platform.store.aside
  const rows = await namesOf(db, project.id, 'view combined', span)
  const known = await sumsOf(db, project.id, span, 'day')
  const counted = rows.reduce((sum, { requests }) => sum + Number(requests), 0)
  const all = [...known.values()].reduce((sum, { pageviews }) => sum + pageviews, 0)

  const counts = new ViewCounts()
  for (const { since, name, requests } of rows) {
    const view = separate(name)
    if (fits(view, filters)) counts.add(Number(since), view, Number(requests))
  }
  const timeline = eachOf(span, dayMs).map(day => ({
    day: dateOf(day),
    pageviews: counts.days.get(day) ?? 0,
  }))
  const { pages, referrers, countries, browsers, devices, systems } = limits.statsTop
  return {
    ...headOf(project, span),
    totals: { pageviews: sumOfViews(timeline) },
    timeline,
    top_pages: counts.top('page', pages).map(([path, views]) => ({ path, views })),
    top_referrers: counts.top('referrer', referrers).map(([referrer, views]) => ({ referrer, views })),
    top_countries: counts.top('country', countries).map(([country, views]) => ({ country, views })),
    top_browsers: counts.top('browser', browsers).map(([browser, views]) => ({ browser, views })),
    top_devices: counts.top('device', devices).map(([device, views]) => ({ device, views })),
    top_systems: counts.top('system', systems).map(([system, views]) => ({ system, views })),
    complete: counted >= all,
  }
}

const fits = (view: View, filters: Filters): boolean =>
  facets.every(facet => filters[facet] === undefined || filters[facet] === view[facet])

class ViewCounts {
  readonly days = new Map<number, number>()
  readonly #names = new Map(facets.map(facet => [facet, new Map<string, number>()]))

  add(day: number, view: View, views: number): void {
    increase(this.days, day, views)
    for (const [facet, names] of this.#names) if (view[facet] !== '') increase(names, view[facet], views)
  }

  /** The names with the most views; among equals in the order of the alphabet. */
  top(facet: Facet, atMost: number): [name: string, views: number][] {
    return [...(this.#names.get(facet) ?? [])]
      .sort(([a, viewsOfA], [b, viewsOfB]) => viewsOfB - viewsOfA || (a < b ? -1 : 1))
      .slice(0, atMost)
  }
}

function increase<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}
