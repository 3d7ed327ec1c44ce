// What both logs of a project have: whether they are live, a button that pauses them, older rows on request, and what stands
// in place of the rows while there are none.
import type { ReactNode } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { useWork } from '../../use-work.ts'
import type { Filters } from './filter-bar.tsx'
import styles from './log-parts.module.css'

export function LiveState({
  look,
  children,
}: {
  look: 'on' | 'off' | 'away' | undefined
  children: ReactNode
}) {
  return (
    <p className={styles.state} data-state={look} role="status">
      <span className={styles.lamp} aria-hidden="true" />
      <span>{children}</span>
    </p>
  )
}

interface PauseButtonProps {
  isPaused: boolean
  setPaused: (isPaused: boolean) => void
}

export const PauseButton = ({ isPaused, setPaused }: PauseButtonProps) => (
  <Button size="small" onClick={() => setPaused(!isPaused)}>
    {isPaused ? 'Resume' : 'Pause'}
  </Button>
)

/** At the end of the log that is not followed. */
export function OlderButton({ load, children }: { load: () => Promise<void>; children: ReactNode }) {
  const { busy, run } = useWork()
  return (
    <div className={styles.older}>
      <Button size="small" look="quiet" busy={busy} onClick={() => run(load)}>
        {children}
      </Button>
    </div>
  )
}

export const NothingMatches = ({ what, filters }: { what: 'line' | 'request'; filters: Filters }) => (
  <Empty title={`No ${what} matches`}>
    <div>
      <Button size="small" onClick={filters.clear}>
        Show all {what}s
      </Button>
    </div>
  </Empty>
)

interface FedProps<View> {
  feed: { look(): Promise<void> }
  /** Undefined until the first answer. */
  view: View | undefined
  error: unknown
  /** Screen readers announce this text until the first answer. */
  label: string
  children: (view: View) => ReactNode
}

export function Fed<View>({ feed, view, error, label, children }: FedProps<View>) {
  const resource = { data: view, error, loading: false, refresh: () => feed.look() }
  return (
    <>
      {view !== undefined && error !== undefined && (
        <Notice tone="warning">{explain(error)} Trying again.</Notice>
      )}
      <Loaded resource={resource} rows={6} label={label}>
        {children}
      </Loaded>
    </>
  )
}
