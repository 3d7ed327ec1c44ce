// The requests that are shown, newest first, and how new answers of the API change them.
import type { LoggedRequest } from '@svc/contract'

export interface RequestList {
  rows: readonly LoggedRequest[]
  /** Where the older requests begin. Null if there are none. */
  cursor: string | null
}

/** The log of a project has no more rows than this. */
const rowsAtMost = 10_000

const newerFirst = (a: LoggedRequest, b: LoggedRequest): number =>
  a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1

/**
 * Adds the newest page to what is shown. An older request may be among the new ones, because every edge writes its own. If
 * requests between the page and the list may be missing, only the page is shown.
 */
export function withNewest(shown: RequestList | undefined, page: RequestList): RequestList {
  if (!shown) return page
  const known = new Set(shown.rows.map(({ id }) => id))
  const fresh = page.rows.filter(({ id }) => !known.has(id))
  if (fresh.length === 0) return shown
  if (fresh.length === page.rows.length && page.cursor !== null) return page
  const rows = [...fresh, ...shown.rows].sort(newerFirst)
  return rows.length > rowsAtMost
    ? { rows: rows.slice(0, rowsAtMost), cursor: null }
    : { rows, cursor: shown.cursor }
}

/** Adds the next older page at the end. */
export function withOlder(shown: RequestList, page: RequestList): RequestList {
  const known = new Set(shown.rows.map(({ id }) => id))
  return { rows: [...shown.rows, ...page.rows.filter(({ id }) => !known.has(id))], cursor: page.cursor }
}
