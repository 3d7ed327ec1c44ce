import { useState } from 'react'
import { explain } from '../api.ts'
import type { Page, PagedList } from '../paged-list.ts'
import { Button } from './button.tsx'
import styles from './more-button.module.css'
import { notify } from './toasts.tsx'

/** A button that loads the next page of a list, if there is one. */
export function MoreButton<Row>({ list, shown }: { list: PagedList<Row>; shown: Page<Row> }) {
  const [busy, setBusy] = useState(false)
  if (!shown.next_cursor) return null
  async function more() {
    setBusy(true)
    await list.loadMore(shown).catch(error => notify({ tone: 'error', text: explain(error) }))
    setBusy(false)
  }
  return (
    <div className={styles.more}>
      <Button busy={busy} onClick={() => void more()}>
        Load more
      </Button>
    </div>
  )
}
