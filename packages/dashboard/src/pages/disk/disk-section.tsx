// The disk of a project: what it holds, its snapshots, and what can be done with them.
import type { Disk, DiskSnapshot, PreviewDisk } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Meter } from '../../components/meter.tsx'
import { Notice } from '../../components/notice.tsx'
import { Section } from '../../components/section.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatUtc } from '../../format.ts'
import { useWork } from '../../use-work.ts'
import styles from '../projects/project/storage-state.module.css'
import { makeSnapshot, setPreviewDisks, useDisk } from './disk.ts'
import { DiskDialog, RemoveDiskDialog, RestoreDialog } from './disk-dialogs.tsx'
import { SnapshotRows } from './snapshot-rows.tsx'

type Asking = { to: 'set' } | { to: 'remove' } | { to: 'restore'; snapshot: DiskSnapshot }

export function DiskSection({ project, allowed }: { project: string; allowed: boolean }) {
  const resource = useDisk(project)
  const { data, refresh } = resource
  const [asking, setAsking] = useState<Asking>()
  const shared = { project, refresh, onClose: () => setAsking(undefined) }
  const disk = data?.disk ?? undefined
  return (
    <>
      <Section
        title="Disk"
        lead="A directory of the server app. What it writes there stays when it is deployed, restarted or asleep."
        actions={
          allowed &&
          data && (
            <DiskActions project={project} disk={disk} refresh={refresh} onAsk={to => setAsking({ to })} />
          )
        }
      >
        <Loaded resource={resource} rows={2} label="Loading the disk">
          {({ disk, removed_until, previews }) =>
            disk ? (
              <DiskState disk={disk} previews={previews} />
            ) : (
              <None project={project} removedUntil={removed_until} />
            )
          }
        </Loaded>
      </Section>
      {disk && data && (
        <Snapshots
          project={project}
          disk={disk}
          snapshots={data.snapshots}
          refresh={refresh}
          onRestore={allowed ? snapshot => setAsking({ to: 'restore', snapshot }) : undefined}
        />
      )}
      {asking?.to === 'set' && <DiskDialog {...shared} disk={disk} />}
      {asking?.to === 'remove' && <RemoveDiskDialog {...shared} />}
      {asking?.to === 'restore' && <RestoreDialog {...shared} snapshot={asking.snapshot} />}
    </>
  )
}

interface ActionsProps {
  project: string
  disk: Disk | undefined
  refresh: () => Promise<void>
  onAsk: (to: 'set' | 'remove') => void
}

function DiskActions({ project, disk, refresh, onAsk }: ActionsProps) {
  const { busy, run } = useWork()
  const switchPreviews = () =>
    run(async () => {
      const next = disk?.preview_data === 'copy' ? 'empty' : 'copy'
      await setPreviewDisks(project, next)
      await refresh()
      const words = next === 'copy' ? 'with a copy of the newest snapshot' : 'empty'
      notify({ tone: 'ok', text: `The disks of new previews begin ${words}.` })
    })
  if (!disk)
    return (
      <Button look="primary" icon="plus" onClick={() => onAsk('set')}>
        Add disk
      </Button>
    )
  return (
    <>
      <Button busy={busy} onClick={switchPreviews}>
        {disk.preview_data === 'copy'
          ? 'Start previews with an empty disk'
          : 'Copy the disk into new previews'}
      </Button>
      <Button onClick={() => onAsk('set')}>Change disk</Button>
      <Button onClick={() => onAsk('remove')}>Remove disk</Button>
    </>
  )
}

function DiskState({ disk, previews }: { disk: Disk; previews: readonly PreviewDisk[] }) {
  return (
    <div className={styles.state}>
      {disk.is_full && (
        <Notice tone="error">
          The disk holds more than its size, and the app does not run. It starts again when you make the disk
          larger.
        </Notice>
      )}
      {disk.problem && <Notice tone="error">{disk.problem}</Notice>}
      {disk.is_copying && (
        <Notice tone="info">A snapshot is being made or restored. Requests wait until it is done.</Notice>
      )}
      <Meter
        title="Used"
        used={disk.used_bytes ?? 0}
        allowed={disk.size_bytes}
        format={formatBytes}
        note={
          disk.measured_at ? (
            <>
              Measured <TimeAgo at={disk.measured_at} />
            </>
          ) : (
            'Not measured yet: it is while the app runs.'
          )
        }
      />
      <Facts
        facts={[
          { label: 'Path', value: <code>{disk.path}</code> },
          { label: 'Variable', value: <code>SVC_DISK</code> },
          { label: 'Instances', value: disk.is_shared ? 'Two at a time, at a deploy' : 'One at a time' },
          {
            label: 'New previews',
            value: disk.preview_data === 'copy' ? 'Begin with its newest snapshot' : 'Begin empty',
          },
          { label: 'Added', value: <TimeAgo at={disk.created_at} /> },
          ...previews.map(({ branch, used_bytes }) => ({
            label: `Preview of ${branch}`,
            value: used_bytes === null ? 'Not measured yet' : formatBytes(used_bytes),
          })),
        ]}
      />
    </div>
  )
}

function None({ project, removedUntil }: { project: string; removedUntil: string | null }) {
  return (
    <Empty>
      {removedUntil ? (
        <p>
          The disk was removed. Its files are kept until {formatUtc(removedUntil)}: add a disk to bring them
          back.
        </p>
      ) : (
        <p>
          No disk yet. With one, a server app can keep a SQLite database or uploaded files. Add it here, or
          from your terminal:
        </p>
      )}
      <Command>{`svc disk add --size 1GB --project ${project}`}</Command>
    </Empty>
  )
}

interface SnapshotsProps {
  project: string
  disk: Disk
  snapshots: readonly DiskSnapshot[]
  refresh: () => Promise<void>
  onRestore: ((snapshot: DiskSnapshot) => void) | undefined
}

function Snapshots({ project, disk, snapshots, refresh, onRestore }: SnapshotsProps) {
  const { busy, run } = useWork()
  const make = () => run(() => makeSnapshot(project).then(refresh))
  return (
    <Section
      title="Snapshots"
      lead="One is made before each deploy to production, and once a day if the app has run. The newest 8 are kept."
      actions={
        onRestore && (
          <Button busy={busy} disabled={disk.is_copying} onClick={make}>
            Make snapshot
          </Button>
        )
      }
    >
      {snapshots.length === 0 ? (
        <Empty>
          <p>No snapshots yet. The first one is made before the next deploy.</p>
        </Empty>
      ) : (
        <SnapshotRows
          project={project}
          snapshots={snapshots}
          isCopying={disk.is_copying}
          onRestore={onRestore}
        />
      )}
    </Section>
  )
}
