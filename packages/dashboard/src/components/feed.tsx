// What happened: rows of a sentence and a time, with a mark at the beginning.
import type { ReactNode } from 'react'
import styles from './feed.module.css'
import { Row, Rows } from './rows.tsx'

/** A narrow one has the time below the sentence. */
export const Feed = ({ narrow, children }: { narrow?: boolean; children: ReactNode }) => (
  <Rows columns={narrow ? 'minmax(0, 1fr)' : 'minmax(0, 1fr) auto'}>{children}</Rows>
)

interface FeedRowProps {
  /** An avatar or a badge. */
  mark?: ReactNode
  when: ReactNode
  children: ReactNode
}

export const FeedRow = ({ mark, when, children }: FeedRowProps) => (
  <Row>
    <div className={styles.what}>
      {mark}
      <p className={styles.sentence}>{children}</p>
    </div>
    <p className={styles.when}>{when}</p>
  </Row>
)
