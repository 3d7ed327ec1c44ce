// Follows a listing from page to page until its end.
import { Failure } from './failure.ts'

interface Page {
  next_cursor: string | null
}

/** The listing as one answer: the rows of all pages under `key`, or as many as are wanted. */
export async function allPages<K extends string, Row, P extends Page & Record<K, Row[]>>(
  key: K,
  fetchPage: (cursor: string | undefined) => Promise<P>,
  most = Number.POSITIVE_INFINITY,
): Promise<P> {
  const first = await fetchPage(undefined)
  const rows: Row[] = [...first[key]]
  let cursor = first.next_cursor
  while (cursor && rows.length < most) {
    const page = await fetchPage(cursor)
    rows.push(...page[key])
    cursor = page.next_cursor
  }
  return { ...first, [key]: rows.slice(0, most), next_cursor: null }
}

/** How many rows a user asks for. */
export function countOf(word: string | undefined, fallback = Number.POSITIVE_INFINITY): number {
  if (word === undefined) return fallback
  if (!/^[1-9]\d{0,8}$/.test(word)) throw new Failure(`The count must be a whole number, not '${word}'.`)
  return Number(word)
}
