// Submissions as rows, each with its first fields.
import type { Submission } from '@svc/contract'
import { Row, Rows, rowOpener } from '../../components/rows.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { textOf } from './forms.ts'
import styles from './submission-rows.module.css'

const fieldsShown = 3

interface SubmissionRowsProps {
  submissions: Submission[]
  onShow: (submission: Submission) => void
}

export function SubmissionRows({ submissions, onShow }: SubmissionRowsProps) {
  return (
    <Rows columns="minmax(0, 1fr) 2rem 8rem" end="below">
      {submissions.map(submission => (
        <Row key={submission.id} data-state={submission.read || submission.spam ? undefined : 'unread'} opens>
          <button type="button" className={rowOpener} onClick={() => onShow(submission)}>
            {!submission.read && !submission.spam && <span className={styles.unread}>Unread</span>}
            <Preview fields={submission.fields} />
          </button>
          <p className={styles.country}>{submission.country}</p>
          <p className={styles.when}>
            <TimeAgo at={submission.created_at} />
          </p>
        </Row>
      ))}
    </Rows>
  )
}

function Preview({ fields }: Pick<Submission, 'fields'>) {
  const shown = Object.entries(fields).slice(0, fieldsShown)
  if (shown.length === 0) return <em className={styles.empty}>without fields</em>
  return (
    <span className={styles.fields}>
      {shown.map(([name, value]) => (
        <span key={name} className={styles.field}>
          <span className={styles.name}>{name}</span> {textOf(value)}
        </span>
      ))}
    </span>
  )
}
