// Lists that load page by page. A refresh loads as many rows as were shown before.
import { limits } from '@svc/contract/limits'
import type { Watch } from './changes.ts'
import { forgetResource, type Resource, useResource, writeResource } from './resource.ts'

export interface Page<Row> {
  rows: Row[]
  next_cursor: string | null
}

export interface PagedList<Row> {
  use(): Resource<Page<Row>>
  loadMore(shown: Page<Row>): Promise<void>
  change(change: (rows: Row[]) => Row[]): void
  forget(): void
}

type Load<Row> = (query: { limit: string; cursor?: string }) => Promise<Page<Row>>

/** `first` rows are loaded at first, in as few requests as the API allows. */
export function pagedList<Row>(
  key: string,
  load: Load<Row>,
  watch?: Watch,
  first: number = limits.page.default,
): PagedList<Row> {
  let count = first

  /** Loads all rows that were shown, so that a refresh does not shorten the list. */
  async function loadShown(): Promise<Page<Row>> {
    const rows: Row[] = []
    let cursor: string | null = null
    do {
      const limit = String(Math.min(count - rows.length, limits.page.max))
      const page: Page<Row> = await load({ limit, ...(cursor && { cursor }) })
      rows.push(...page.rows)
      cursor = page.next_cursor
    } while (cursor && rows.length < count)
    return { rows, next_cursor: cursor }
  }

  return {
    use: () => useResource(key, loadShown, watch),
    async loadMore({ next_cursor }) {
      if (!next_cursor) return
      const page = await load({ limit: String(limits.page.default), cursor: next_cursor })
      writeResource<Page<Row>>(key, ({ rows }) => {
        count = rows.length + page.rows.length
        return { rows: [...rows, ...page.rows], next_cursor: page.next_cursor }
      })
    },
    change: change => writeResource<Page<Row>>(key, page => ({ ...page, rows: change(page.rows) })),
    forget: () => forgetResource(key),
  }
}
