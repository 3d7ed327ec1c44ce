// Lists the forms that have a submission. If there is none, explains how to make a form.
import type { Form } from '@svc/contract'
import { useParams } from 'wouter'
import { CopyButton } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, RowLink, Rows } from '../../components/rows.tsx'
import { Section } from '../../components/section.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatCount } from '../../format.ts'
import { href } from '../../paths.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { useForms } from './forms.ts'
import styles from './forms-page.module.css'

export function FormsPage() {
  const { name = '' } = useParams<{ name: string }>()
  return <ProjectLayout tab="Forms">{() => <Forms project={name} />}</ProjectLayout>
}

function Forms({ project }: { project: string }) {
  return (
    <Section
      title="Forms"
      lead={
        <>
          A form that is posted to <code>/_svc/forms/&lt;name&gt;</code> on the site shows up here by itself.
        </>
      }
    >
      <Loaded resource={useForms(project)} rows={3} label="Loading forms">
        {forms =>
          forms.length === 0 ? (
            <None />
          ) : (
            <Rows columns="minmax(0, 1fr) 12rem 12rem 14rem">
              {forms.map(form => (
                <FormRow key={form.name} project={project} form={form} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  )
}

function FormRow({ project, form }: { project: string; form: Form }) {
  const { name, submissions, unread, last_submission_at, notify, retention_days } = form
  return (
    <Row opens>
      <RowLink href={href('/projects/:name/forms/:form', { name: project, form: name })}>{name}</RowLink>
      <p>
        {formatCount(submissions, 'submission')}
        {unread > 0 && <span className={styles.unread}>{unread} unread</span>}
      </p>
      <p className={styles.when}>
        {last_submission_at ? (
          <>
            Last one <TimeAgo at={last_submission_at} />
          </>
        ) : (
          'None at the moment'
        )}
      </p>
      <p className={styles.when}>
        {[
          notify !== 'off' && 'Emails on',
          retention_days !== null && `Kept for ${formatCount(retention_days, 'day')}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </Row>
  )
}

const snippet = `<form action="/_svc/forms/contact" method="post">
  <label>Email <input type="email" name="email" required></label>
  <label>Message <textarea name="message" required></textarea></label>
  <input name="_gotcha" tabindex="-1" autocomplete="off" style="display:none">
  <button>Send</button>
</form>`

function None() {
  return (
    <Empty title="No forms yet">
      <p>
        Paste this into a page and deploy it. What visitors send shows up here; there is nothing to set up.
        The hidden field catches programs that fill in everything.
      </p>
      <div className={styles.snippet}>
        {/* Where it is too wide it scrolls, with the keyboard too. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it can be scrolled */}
        <pre tabIndex={0}>
          <code>{snippet}</code>
        </pre>
        <CopyButton text={snippet} label="Copy the form" />
      </div>
      <p>
        Change <code>contact</code> to name the form. Add a field <code>_redirect</code> with a path of your
        site to bring visitors to a page of your own afterwards.
      </p>
    </Empty>
  )
}
