// The snapshots of a disk as rows, newest first.
import type { DiskSnapshot } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { Button } from '../../components/button.tsx'
import text from '../../components/row-text.module.css'
import { Row, Rows } from '../../components/rows.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useWork } from '../../use-work.ts'
import { saveSnapshot } from './disk.ts'
import styles from './snapshot-rows.module.css'

const reasons: Record<DiskSnapshot['reason'], string> = {
  deploy: 'Before a deploy or a rollback',
  daily: 'Daily',
  manual: 'Made by hand',
  restore: 'What a restore replaced',
}

interface SnapshotRowsProps {
  project: string
  snapshots: readonly DiskSnapshot[]
  isCopying: boolean
  /** Without it, the caller may only look. */
  onRestore: ((snapshot: DiskSnapshot) => void) | undefined
}

export function SnapshotRows({ project, snapshots, isCopying, onRestore }: SnapshotRowsProps) {
  const { doing, run } = useWork()
  return (
    <Rows columns="minmax(0, 1fr) 5rem auto" label="Snapshots of the disk" end="below">
      {snapshots.map(snapshot => (
        <Row key={snapshot.id}>
          <div>
            <p className={text.name}>
              <TimeAgo at={snapshot.created_at} />
            </p>
            <p className={text.soft}>{reasons[snapshot.reason]}</p>
          </div>
          <span className={text.soft}>{formatBytes(snapshot.bytes)}</span>
          <div className={styles.actions}>
            {onRestore && (
              <>
                <Button
                  size="small"
                  busy={doing === snapshot.id}
                  onClick={() => run(() => saveSnapshot(project, snapshot.id), snapshot.id)}
                >
                  Download
                </Button>
                <Button size="small" disabled={isCopying} onClick={() => onRestore(snapshot)}>
                  Restore
                </Button>
              </>
            )}
          </div>
        </Row>
      ))}
    </Rows>
  )
}
