// One form: what was sent to it, the export, and its settings.
import type { Form, Submission } from '@svc/contract'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { explain } from '../../api.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Cards } from '../../components/card.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { notify } from '../../components/toasts.tsx'
import { LoadFailure, Trouble } from '../../components/trouble.tsx'
import { formatCount } from '../../format.ts'
import { ProjectLayout } from '../project/project-layout.tsx'
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
  const { data: forms, error, loading, refresh } = useForms(at.project)
  const form = forms?.find(({ name }) => name === at.form)
  if (!forms && error !== undefined)
    return <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
  if (!forms) return <SkeletonRows count={4} label="Loading the form" />
  if (!form) return <Missing at={at} />
  return (
    <div className={styles.page}>
      <Submissions at={at} form={form} />
      <Cards>
        <Emails at={at} form={form} />
        <Retention at={at} form={form} />
        <DeleteForm at={at} form={form} />
      </Cards>
    </div>
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

function Submissions({ at, form }: { at: FormAt; form: Form }) {
  const list = submissionsTo(at)
  const { data: page, error, loading, refresh } = list.use()
  const [shown, setShown] = useState<Submission>()
  const [saving, setSaving] = useState(false)

  async function save() {
    setSaving(true)
    await saveCsv(at).catch(failure => notify({ tone: 'error', text: explain(failure) }))
    setSaving(false)
  }

  return (
    <section aria-labelledby="submissions">
      <header className={styles.header}>
        <div>
          <Link href={`/projects/${at.project}/forms`} className={styles.back}>
            All forms
          </Link>
          <h2 id="submissions" className={styles.title}>
            {form.name}
          </h2>
          <p className={styles.lead}>{formatCount(form.submissions, 'submission')}, newest first</p>
        </div>
        <Button icon="download" busy={saving} disabled={form.submissions === 0} onClick={() => void save()}>
          Export CSV
        </Button>
      </header>
      {!page && error !== undefined && (
        <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
      )}
      {!page && error === undefined && <SkeletonRows count={4} label="Loading submissions" />}
      {page?.rows.length === 0 && <p className={styles.none}>There is nothing at the moment.</p>}
      {page && page.rows.length > 0 && <SubmissionRows submissions={page.rows} onShow={setShown} />}
      {page && <MoreButton list={list} shown={page} />}
      {shown && <SubmissionDialog at={at} submission={shown} onClose={() => setShown(undefined)} />}
    </section>
  )
}
