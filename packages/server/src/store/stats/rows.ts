// Traffic, by the hour and by the day.

/** What a project's hosts answered in one hour. */
export interface StatsHourRow {
  project_id: string
  hour: number
  requests: number
  bytes: number
  cache_hits: number
  status_2xx: number
  status_3xx: number
  status_4xx: number
  status_5xx: number
  status_other: number
  pageviews: number
  /** Visitors whose first request of the day was in this hour. */
  visitors: number
  /** Requests that could not be counted because too many came at once. */
  lost: number
}

/** What is listed by name: requests by the hour, pageviews (as `requests`) by the day. */
export interface StatsNameRow {
  project_id: string
  kind:
    | 'cache'
    | 'country'
    | 'host'
    | 'path'
    | 'view browser'
    | 'view combined'
    | 'view country'
    | 'view device'
    | 'view page'
    | 'view referrer'
    | 'view system'
  /** The start of the hour or the day. */
  since: number
  name: string
  requests: number
  bytes: number
}

/** Seen that day already; deleted, like the salt of their hashes, when it is over. */
export interface StatsVisitorRow {
  project_id: string
  day: number
  hash: string
}

export interface StatsSaltRow {
  day: number
  salt: string
}

/** The latency histogram, from the fastest answers to the slowest. `within_5` counts those above 1 ms and up to 5 ms. */
export const latencyColumns = [
  'within_1',
  'within_5',
  'within_10',
  'within_25',
  'within_50',
  'within_100',
  'within_250',
  'within_500',
  'within_1000',
  'within_2500',
  'within_5000',
  'within_10000',
  'slower',
] as const

/** What is added up. `memory_kb_s` is kilobytes times seconds, so that an average follows from it; so are the other times. */
export const chartColumns = [
  'requests',
  'errors',
  'cpu_ms',
  'memory_kb_s',
  'running_ms',
  ...latencyColumns,
] as const

export type ChartCounts = Record<(typeof chartColumns)[number], number>

export const noChartCounts = Object.fromEntries(chartColumns.map(column => [column, 0])) as ChartCounts

/** What a project, or all of the platform, did and used in a minute or an hour. */
export interface ChartPointRow extends ChartCounts {
  /** The id of a project, or `platform`. */
  owner: string
  /** A minute or an hour. */
  step_ms: number
  /** Its start. */
  at: number
}
