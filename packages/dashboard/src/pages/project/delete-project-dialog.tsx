import type { ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { bareUrl } from '../../format.ts'
import { cancelUpload, dismissUpload } from '../../upload/uploads.ts'
import styles from '../projects/new-project-dialog.module.css'
import { deleteProject } from './owners.ts'

/** Asks for the project's name: a click alone must not take a site offline. */
export function DeleteProjectDialog({ project, onClose }: { project: ProjectDetail; onClose: () => void }) {
  const { name, url } = project
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [, navigate] = useLocation()

  async function remove() {
    if (typed !== name) return setError(`Type ${name} to confirm.`)
    setBusy(true)
    try {
      await deleteProject(name)
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
      return
    }
    cancelUpload(name)
    dismissUpload(name)
    navigate('/')
    notify({ tone: 'ok', text: `${name} was deleted.` })
  }

  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <form
        className={styles.form}
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void remove()
        }}
      >
        <Notice tone="warning">
          {bareUrl(url)} goes offline at once. All deployments and settings are removed for good; nobody can
          bring them back.
        </Notice>
        <Field
          label={`Type ${name} to confirm`}
          name="confirm"
          data-autofocus
          look="mono"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          error={error}
          onChange={event => {
            setTyped(event.target.value)
            setError(undefined)
          }}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={busy}>
            Delete project
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
