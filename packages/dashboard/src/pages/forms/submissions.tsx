// The submissions of a form: a list, the dialog of one of them, and what can be done with all.
import type { Form, Submission } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { complain, useWork } from '../../use-work.ts'
import { type FormAt, markAllRead, markRead, type Shown, saveCsv, submissionsTo } from './forms.ts'
import { SubmissionDialog } from './submission-dialog.tsx'
import { SubmissionRows } from './submission-rows.tsx'

export function InboxActions({ at, form }: { at: FormAt; form: Form }) {
  const { doing, run } = useWork()
  return (
    <>
      {form.unread > 0 && (
        <Button busy={doing === 'read'} onClick={() => run(() => markAllRead(at), 'read')}>
          Mark all as read
        </Button>
      )}
      <Button
        icon="download"
        busy={doing === 'export'}
        disabled={form.submissions === 0}
        onClick={() => run(() => saveCsv(at), 'export')}
      >
        Export CSV
      </Button>
    </>
  )
}

const nothing: Record<Shown, string> = {
  all: 'There is nothing at the moment.',
  unread: 'Everything was read.',
  spam: 'Nothing is marked as spam. Submissions of bots that fill in the hidden field _gotcha are dropped and never get here.',
}

export function Submissions({ at, show }: { at: FormAt; show: Shown }) {
  const list = submissionsTo(at, show)
  const [open, setOpen] = useState<Submission>()

  function openIt(submission: Submission) {
    setOpen(submission)
    if (!submission.read) markRead(at, submission).catch(complain)
  }

  return (
    <>
      <Loaded resource={list.use()} rows={4} label="Loading submissions">
        {page => (
          <>
            {page.rows.length === 0 && <Empty>{nothing[show]}</Empty>}
            {page.rows.length > 0 && <SubmissionRows submissions={page.rows} onShow={openIt} />}
            <MoreButton list={list} shown={page} />
          </>
        )}
      </Loaded>
      {open && <SubmissionDialog at={at} submission={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}
