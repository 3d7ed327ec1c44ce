import { useState } from 'react'
import { explain } from '../api.ts'
import type { Page, PagedList } from '../paged-list.ts'
import { Button } from './button.tsx'
import styles from './more-button.module.css'
import { notify } from './toasts.tsx'

interface More {
  busy: boolean
  /** The next page could not be loaded. */
  failed: boolean
  load(): void
}

export type Growing<Row> = Pick<PagedList<Row>, 'loadMore'>

/** How to load the page of a list that comes after what is shown. */
export function useMore<Row>(list: Growing<Row>, shown: Page<Row>): More {
  const [busy, setBusy] = useState(false)
  const [failedAt, setFailedAt] = useState<string | null>(null)
  async function load() {
    setBusy(true)
    setFailedAt(null)
    await list.loadMore(shown).catch(error => {
      setFailedAt(shown.next_cursor)
      notify({ tone: 'error', text: explain(error) })
    })
    setBusy(false)
  }
  const failed = failedAt !== null && failedAt === shown.next_cursor
  return { busy, failed, load: () => void load() }
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
