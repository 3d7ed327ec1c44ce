// One submission, whole; it can be deleted from here.
import type { Submission } from '@svc/contract'
import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatMoment } from '../../format.ts'
import { type FormAt, removeSubmission, textOf } from './forms.ts'
import styles from './submission-dialog.module.css'

interface SubmissionDialogProps {
  at: FormAt
  submission: Submission
  onClose: () => void
}

export function SubmissionDialog({ at, submission, onClose }: SubmissionDialogProps) {
  const { id, created_at, fields, country, referrer } = submission
  const [sure, setSure] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function remove() {
    if (!sure) return setSure(true)
    setBusy(true)
    try {
      await removeSubmission(at, id)
      notify({ tone: 'ok', text: 'The submission was deleted.' })
      onClose()
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog title={`Submission to ${at.form}`} onClose={onClose}>
      {error && <Notice tone="error">{error}</Notice>}
      <dl className={styles.fields}>
        {Object.entries(fields).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{textOf(value) || <em>empty</em>}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.origin}>
        {formatMoment(created_at)}
        {country && <> · from {country}</>}
        {referrer && <> · sent on {referrer}</>}
      </p>
      <DialogActions>
        <Button look={sure ? 'danger' : 'plain'} icon="trash" busy={busy} onClick={() => void remove()}>
          {sure ? 'Delete it for good' : 'Delete'}
        </Button>
        <Button look="primary" data-autofocus onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
