// Follows a listing from page to page until its end.
interface Page {
  next_cursor: string | null
}

/** The whole listing as one answer: the rows of all pages under `key`, and nothing left to ask for. */
export async function allPages<K extends string, Row, P extends Page & Record<K, Row[]>>(
  key: K,
  fetchPage: (cursor: string | undefined) => Promise<P>,
): Promise<P> {
  const first = await fetchPage(undefined)
  const rows: Row[] = [...first[key]]
  let cursor = first.next_cursor
  while (cursor) {
    const page = await fetchPage(cursor)
    rows.push(...page[key])
    cursor = page.next_cursor
  }
  return { ...first, [key]: rows, next_cursor: null }
}
