// One form: what was sent to it, the export, and its settings.
import type { Form, Submission } from '@svc/contract'
import { type ReactNode, useState } from 'react'
import { useParams } from 'wouter'
import { explain } from '../../api.ts'
import { BackLink } from '../../components/back-link.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { Cards } from '../../components/card.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { Section } from '../../components/section.tsx'
import { notify } from '../../components/toasts.tsx'
import { Trouble } from '../../components/trouble.tsx'
import { formatCount } from '../../format.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import styles from './form-page.module.css'
import { DeleteForm, Emails, Retention } from './form-settings.tsx'
import { type FormAt, saveCsv, submissionsTo, useForms } from './forms.ts'
import { SubmissionDialog } from './submission-dialog.tsx'
import { SubmissionRows } from './submission-rows.tsx'

export function FormPage() {
  const { name = '', form = '' } = useParams<{ name: string; form: string }>()
  return <ProjectLayout tab="Forms">{() => <FormOf at={{ project: name, form }} />}</ProjectLayout>
}

function FormOf({ at }: { at: FormAt }) {
  const [showsSettings, setShowsSettings] = useState(false)
  return (
    <Loaded resource={useForms(at.project)} rows={4} label="Loading the form">
      {forms => {
        const form = forms.find(({ name }) => name === at.form)
        if (!form) return <Missing at={at} />
        return (
          <div className={styles.page}>
            {/* The settings are above the list, which grows without an end. */}
            <Submissions at={at} form={form} onSettings={() => setShowsSettings(!showsSettings)}>
              {showsSettings && (
                <Cards>
                  <Emails at={at} form={form} />
                  <Retention at={at} form={form} />
                  <DeleteForm at={at} form={form} />
                </Cards>
              )}
            </Submissions>
          </div>
        )
      }}
    </Loaded>
  )
}

function Missing({ at }: { at: FormAt }) {
  return (
    <Trouble
      title="Form not found"
      action={<LinkButton href={`/projects/${at.project}/forms`}>Go to the forms</LinkButton>}
    >
      Nothing was sent to a form “{at.form}” of this project, or it was deleted.
    </Trouble>
  )
}

interface SubmissionsProps {
  at: FormAt
  form: Form
  onSettings: () => void
  /** Shown above the submissions. */
  children: ReactNode
}

function Submissions({ at, form, onSettings, children }: SubmissionsProps) {
  const list = submissionsTo(at)
  const [shown, setShown] = useState<Submission>()
  const [saving, setSaving] = useState(false)

  async function save() {
    setSaving(true)
    await saveCsv(at).catch(failure => notify({ tone: 'error', text: explain(failure) }))
    setSaving(false)
  }

  return (
    <Section
      above={<BackLink href={`/projects/${at.project}/forms`}>All forms</BackLink>}
      title={form.name}
      lead={`${formatCount(form.submissions, 'submission')}, newest first`}
      actions={
        <>
          <Button aria-expanded={Boolean(children)} onClick={onSettings}>
            Form settings
          </Button>
          <Button icon="download" busy={saving} disabled={form.submissions === 0} onClick={() => void save()}>
            Export CSV
          </Button>
        </>
      }
    >
      {children && <div className={styles.settings}>{children}</div>}
      <Loaded resource={list.use()} rows={4} label="Loading submissions">
        {page => (
          <>
            {page.rows.length === 0 && <Empty>There is nothing at the moment.</Empty>}
            {page.rows.length > 0 && <SubmissionRows submissions={page.rows} onShow={setShown} />}
            <MoreButton list={list} shown={page} />
          </>
        )}
      </Loaded>
      {shown && <SubmissionDialog at={at} submission={shown} onClose={() => setShown(undefined)} />}
    </Section>
  )
}
