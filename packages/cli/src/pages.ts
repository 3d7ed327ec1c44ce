// Reads all pages of a list.
import { Failure } from './failure.ts'
import { required } from './session.ts'

interface Page {
  next_cursor?: string | null | undefined
}

type Rows<K extends string> = Partial<Record<K, unknown[] | null>>

/** Returns the rows of all pages under `key`, or the first `most` of them. */
export async function allPages<K extends string, P extends Page & Rows<K>>(
  key: K,
  fetchPage: (cursor: string | undefined) => Promise<P>,
  most = Number.POSITIVE_INFINITY,
): Promise<P & Record<K, NonNullable<P[K]>>> {
  const first = await fetchPage(undefined)
  const rows: unknown[] = [...required(first, key)]
  let cursor = first.next_cursor
  // The same cursor twice would be an endless loop.
  for (let last: typeof cursor; cursor && cursor !== last && rows.length < most; ) {
    last = cursor
    const page = await fetchPage(cursor)
    rows.push(...required(page, key))
    cursor = page.next_cursor
  }
  return { ...first, [key]: rows.slice(0, most), next_cursor: null } as P & Record<K, NonNullable<P[K]>>
}

/** Reads the number of rows that the user asks for. */
export function countOf(word: string | undefined, fallback = Number.POSITIVE_INFINITY): number {
  if (word === undefined) return fallback
  if (!/^[1-9]\d{0,8}$/.test(word)) throw new Failure(`The count must be a whole number, not '${word}'.`)
  return Number(word)
}
