// One submission, whole. It can be deleted or marked as spam from here.
import type { Submission } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatMoment } from '../../format.ts'
import { useFormWork } from '../../use-work.ts'
import { type FormAt, markSpam, removeSubmission, textOf } from './forms.ts'
import styles from './submission-dialog.module.css'

interface SubmissionDialogProps {
  at: FormAt
  submission: Submission
  onClose: () => void
}

export function SubmissionDialog({ at, submission, onClose }: SubmissionDialogProps) {
  const { id, created_at, fields, country, referrer, spam } = submission
  const [sure, setSure] = useState(false)
  const { doing, error, run } = useFormWork()

  function close(done: string) {
    notify({ tone: 'ok', text: done })
    onClose()
  }

  async function remove() {
    await removeSubmission(at, id)
    close('The submission was deleted.')
  }

  async function toggleSpam() {
    await markSpam(at, submission, !spam)
    close(spam ? 'The submission is back in the list.' : 'The submission was marked as spam.')
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
        <Button
          look={sure ? 'danger' : 'plain'}
          icon="trash"
          busy={doing === 'delete'}
          onClick={() => (sure ? run(remove, 'delete') : setSure(true))}
        >
          {sure ? 'Delete it for good' : 'Delete'}
        </Button>
        <Button busy={doing === 'spam'} onClick={() => run(toggleSpam, 'spam')}>
          {spam ? 'Not spam' : 'Mark as spam'}
        </Button>
        <Button look="primary" data-autofocus onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
