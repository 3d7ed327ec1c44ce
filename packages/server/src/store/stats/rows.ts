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
