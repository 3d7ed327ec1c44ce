// Chooses a dump, asks for the name of the project, and replaces what the database holds.
import { formatBytes } from '@svc/contract/bytes'
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { withEffect } from '../projects/project/effect.ts'
import { loadDump } from './databases.ts'

export function RestoreButton({ project, refresh }: { project: string; refresh: () => Promise<void> }) {
  const picker = useRef<HTMLInputElement>(null)
  const [dump, setDump] = useState<File>()

  async function restore(file: File) {
    const effect = await loadDump(project, file)
    await refresh()
    notify({ tone: 'ok', text: withEffect('The dump was restored.', effect) })
  }

  return (
    <>
      <Button icon="upload" onClick={() => picker.current?.click()}>
        Restore a dump
      </Button>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="Dump file"
        onChange={event => {
          setDump(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      {dump && (
        <ConfirmDialog
          title={`Restore ${dump.name}?`}
          action="Replace the data"
          keep="Keep it"
          typed={project}
          run={() => restore(dump)}
          onClose={() => setDump(undefined)}
        >
          <Notice tone="warning">
            The dump ({formatBytes(dump.size)}) replaces what the database holds, and the app restarts. What
            it holds now is kept for 7 days. If the dump cannot be restored, nothing changes.
          </Notice>
        </ConfirmDialog>
      )}
    </>
  )
}
