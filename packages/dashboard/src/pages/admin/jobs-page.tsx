// Background jobs one by one: what waits, what failed and why.
import type { AdminJob } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { EndlessList } from '../../components/endless-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatCount } from '../../format.ts'
import { useWork } from '../../use-work.ts'
import rows from '../orgs/rows.module.css'
import styles from './admin.module.css'
import { cancelJob, jobList, retryJob } from './admin.ts'
import { AdminLayout } from './admin-layout.tsx'
import { SweepCard } from './sweep-card.tsx'

/** A newer server may have kinds that have no name here. */
const kinds: Record<string, string> = {
  compress: 'Compress files',
  'remove-packs': 'Delete files',
  'form-mail': 'Email about a form',
  'billing-mail': 'Email about billing',
  'password-mail': 'Email for a new password',
  'security-mail': 'Email about a sign-in change',
  backup: 'Make a backup',
  'backup-mail': 'Email about failed backups',
  invoice: 'Send an invoice',
}

const nameOf = ({ kind }: AdminJob): string => kinds[kind] ?? kind

const states: Record<AdminJob['state'], string> = {
  waiting: 'Waiting',
  running: 'Running',
  retrying: 'Waiting after a failure',
  failed: 'Given up',
  not_understood: 'Waiting for a newer version of svcd',
}

export function AdminJobsPage() {
  const [cancelling, setCancelling] = useState<AdminJob>()
  return (
    <AdminLayout tab="Jobs">
      <Loaded resource={jobList.use()} rows={5} label="Loading jobs">
        {page =>
          page.rows.length === 0 ? (
            <Empty>No background job waits, runs or failed.</Empty>
          ) : (
            <>
              <Rows columns="minmax(0, 1fr) 15rem 13.5rem" label="Jobs" end="below">
                {page.rows.map(job => (
                  <JobRow key={job.id} job={job} onCancel={() => setCancelling(job)} />
                ))}
              </Rows>
              <EndlessList list={jobList} shown={page} />
            </>
          )
        }
      </Loaded>
      <SweepCard />
      {cancelling && <CancelDialog job={cancelling} onClose={() => setCancelling(undefined)} />}
    </AdminLayout>
  )
}

function JobRow({ job, onCancel }: { job: AdminJob; onCancel: () => void }) {
  const { busy, run } = useWork()
  const { key, state, attempts, created_at, due_at, error, can_cancel } = job

  async function tryAgain() {
    await retryJob(job)
    notify({ tone: 'ok', text: 'The job runs in a few seconds.' })
  }

  return (
    <Row>
      <div>
        <p className={rows.name}>
          {nameOf(job)} <Tag>{key}</Tag>
        </p>
        {error && <p className={styles.trouble}>{error}</p>}
      </div>
      <p className={styles.soft}>
        {states[state]}, {formatCount(attempts, 'attempt')}
        <span className={styles.since}>
          Created <TimeAgo at={created_at} />
          {due_at !== null && Date.parse(due_at) < Date.now() && (
            <>
              , due <TimeAgo at={due_at} />
            </>
          )}
        </span>
      </p>
      <div className={styles.actions}>
        {state !== 'running' && (
          <Button
            size="small"
            busy={busy}
            aria-label={`Try again: ${nameOf(job)} ${key}`}
            onClick={() => run(tryAgain)}
          >
            Try again
          </Button>
        )}
        {can_cancel && (
          <Button size="small" aria-label={`${verbFor(job)}: ${nameOf(job)} ${key}`} onClick={onCancel}>
            {verbFor(job)}
          </Button>
        )}
      </div>
    </Row>
  )
}

/** A job that was given up, or that this version does not know, does not run. It is only taken off the list. */
const isIdle = ({ state }: AdminJob): boolean => state === 'failed' || state === 'not_understood'

const verbFor = (job: AdminJob): string => (isIdle(job) ? 'Remove' : 'Cancel')

function CancelDialog({ job, onClose }: { job: AdminJob; onClose: () => void }) {
  const isOver = isIdle(job)
  return (
    <ConfirmDialog
      title={isOver ? 'Remove this job from the list?' : 'Cancel this job?'}
      action={isOver ? 'Remove job' : 'Cancel job'}
      keep="Keep it"
      run={async () => {
        await cancelJob(job)
        notify({ tone: 'ok', text: isOver ? 'The job was removed.' : 'The job was cancelled.' })
      }}
      onClose={onClose}
    >
      <p>
        {nameOf(job)} <code>{job.key}</code>
      </p>
      <p>{isOver ? 'Its work is not done.' : 'The site is served without compressed files.'}</p>
    </ConfirmDialog>
  )
}
