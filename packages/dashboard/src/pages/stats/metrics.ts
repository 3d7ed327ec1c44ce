// The main numbers of a site: how each is called, counted and drawn.
import { percent, type Unit } from './scale.ts'

interface Counts {
  visitors: number
  pageviews: number
  requests: number
  bytes: number
  cache_hits: number
  errors: number
}

export interface Metric {
  id: 'visitors' | 'pageviews' | 'requests' | 'errors' | 'bytes'
  name: string
  unit: Unit
  /** What the bars show, and a part of them that is drawn in another colour. */
  whole: string
  part?: { id: keyof Counts; words: string }
  /** Whether a rise is bad. */
  isBad?: boolean
  /** More about the number of the whole period. */
  note?: (totals: Counts) => string
}

export const metrics: readonly Metric[] = [
  { id: 'visitors', name: 'Visitors', unit: 'count', whole: 'visitors' },
  {
    id: 'pageviews',
    name: 'Page views',
    unit: 'count',
    whole: 'page views',
    part: { id: 'visitors', words: 'visitors' },
  },
  {
    id: 'requests',
    name: 'Requests',
    unit: 'count',
    whole: 'requests',
    part: { id: 'cache_hits', words: 'from cache' },
    note: ({ cache_hits, requests }) => `${percent(cache_hits, requests)} from cache`,
  },
  {
    id: 'errors',
    name: 'Errors',
    unit: 'count',
    whole: 'answers with 5xx',
    isBad: true,
    note: ({ errors, requests }) => `${percent(errors, requests)} of requests, 5xx`,
  },
  { id: 'bytes', name: 'Bandwidth', unit: 'bytes', whole: 'sent' },
]

/** The metric that the page's URL names, or the first one. */
export const metricIn = (search: string): Metric =>
  metrics.find(({ id }) => id === new URLSearchParams(search).get('metric')) ?? metrics[0]!
