import { useState } from 'react'
import type { Page, PagedList } from '../paged-list.ts'
import { complain, useWork } from '../use-work.ts'
import { Button } from './button.tsx'
import styles from './more-button.module.css'

interface More {
  busy: boolean
  /** The next page could not be loaded. */
  failed: boolean
  load(): void
}

export type Growing<Row> = Pick<PagedList<Row>, 'loadMore'>

/** How to load the page of a list that comes after what is shown. */
export function useMore<Row>(list: Growing<Row>, shown: Page<Row>): More {
  const [failedAt, setFailedAt] = useState<string | null>(null)
  const { busy, run } = useWork(failure => {
    setFailedAt(shown.next_cursor)
    complain(failure)
  })
  function load() {
    run(() => {
      setFailedAt(null)
      return list.loadMore(shown)
    })
  }
  const failed = failedAt !== null && failedAt === shown.next_cursor
  return { busy, failed, load }
}

/** A button that loads the next page of a list. */
export function LoadMore({ more }: { more: More }) {
  return (
    <div className={styles.more}>
      <Button busy={more.busy} onClick={more.load}>
        Load more
      </Button>
    </div>
  )
}

/** A button that loads the next page of a list, if there is one. */
export function MoreButton<Row>({ list, shown }: { list: PagedList<Row>; shown: Page<Row> }) {
  const more = useMore(list, shown)
  return shown.next_cursor ? <LoadMore more={more} /> : null
}
