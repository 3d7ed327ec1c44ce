// Asks before the disk of a project is added, changed, removed or restored.
import type { Disk, DiskSnapshot } from '@svc/contract'
import { formatBytes, parseBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { CheckField } from '../../components/check-field.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatMoment } from '../../format.ts'
import { withEffect } from '../projects/project/effect.ts'
import { removeDisk, restoreSnapshot, setDisk } from './disk.ts'

interface DialogProps {
  project: string
  refresh: () => Promise<void>
  onClose: () => void
}

/** Without a disk, it adds one. */
export function DiskDialog({ project, disk, refresh, onClose }: DialogProps & { disk: Disk | undefined }) {
  const [size, setSize] = useState(disk ? formatBytes(disk.size_bytes) : '1 GB')
  const [path, setPath] = useState(disk?.path ?? '/data')
  const [shared, setShared] = useState(disk?.is_shared ?? false)
  const [mistake, setMistake] = useState<string>()

  async function run() {
    const size_bytes = disk && size === formatBytes(disk.size_bytes) ? disk.size_bytes : parseBytes(size)
    if (size_bytes === undefined) return setMistake('Write a number and a unit, such as 5 GB.')
    const effect = await setDisk(project, { size_bytes, path, shared })
    await refresh()
    const done = disk ? 'The disk was changed.' : 'The disk was added.'
    notify({
      tone: 'ok',
      text: withEffect(effect.was_kept ? `${done} It holds the files from before.` : done, effect),
    })
    onClose()
  }

  return (
    <FormDialog
      title={disk ? 'Change the disk' : 'Add a disk'}
      action={disk ? 'Save' : 'Add disk'}
      run={run}
      onClose={onClose}
    >
      <Field
        label="Size"
        name="size"
        data-autofocus
        value={size}
        error={mistake}
        hint="From 10 MB to 1 TB. It counts with the stored bytes of the plan."
        onChange={event => {
          setSize(event.target.value)
          setMistake(undefined)
        }}
      />
      <Field
        label="Path"
        name="path"
        look="mono"
        value={path}
        hint="Where the app finds it. The variable SVC_DISK has it, too."
        onChange={event => setPath(event.target.value.trim())}
      />
      <CheckField name="shared" checked={shared} onChange={setShared}>
        The app can have two instances on it at a time
      </CheckField>
      <p>
        {shared
          ? 'At a deploy, the old instance and the new one run side by side for a while, and both may write.'
          : 'One instance of the app runs at a time. At a deploy, requests wait while the old one ends and the new one starts.'}
      </p>
    </FormDialog>
  )
}

export function RemoveDiskDialog({ project, refresh, onClose }: DialogProps) {
  async function run() {
    const effect = await removeDisk(project)
    await refresh()
    notify({ tone: 'ok', text: withEffect('The disk was removed.', effect) })
  }

  return (
    <ConfirmDialog
      title="Remove the disk?"
      action="Remove disk"
      keep="Keep it"
      typed={project}
      run={run}
      onClose={onClose}
    >
      <Notice tone="warning">
        The app runs without its files from now on. They are kept for 7 days, with the snapshots: until then,
        adding a disk brings them back.
      </Notice>
    </ConfirmDialog>
  )
}

export function RestoreDialog({
  project,
  snapshot,
  refresh,
  onClose,
}: DialogProps & { snapshot: DiskSnapshot }) {
  async function run() {
    await restoreSnapshot(project, snapshot.id)
    await refresh()
  }

  return (
    <ConfirmDialog title="Restore this snapshot?" action="Restore" run={run} onClose={onClose}>
      <p>
        All files of the disk are replaced by those of {formatMoment(snapshot.created_at)}. What it holds now
        is kept as a snapshot. Requests wait meanwhile.
      </p>
    </ConfirmDialog>
  )
}
