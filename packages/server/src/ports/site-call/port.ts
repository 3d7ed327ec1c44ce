// Requests that the platform itself makes to its sites, through the edge as any visitor's.
export interface SiteRequest {
  project: string
  method: string
  /** With its query. */
  path: string
  headers: Record<string, string>
}

/** Returns the status; redirects are not followed, and the body is thrown away. Rejects if there is no answer. */
export type CallSite = (request: SiteRequest, signal: AbortSignal) => Promise<number>
