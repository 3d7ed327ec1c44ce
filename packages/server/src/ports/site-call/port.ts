// Requests that the platform itself makes to its sites. They pass through the edge like the requests of visitors.
export interface SiteRequest {
  project: string
  method: string
  /** The path with its query. */
  path: string
  headers: Record<string, string>
}

/** Returns the status. It does not follow redirects and discards the body. Rejects if the site does not answer. */
export type CallSite = (request: SiteRequest, signal: AbortSignal) => Promise<number>
