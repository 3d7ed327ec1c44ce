// One form: what was sent to it, the export, and its settings. Each view has its own URL.
import type { Form } from '@svc/contract'
import { Link, useParams, useSearch } from 'wouter'
import { BackLink } from '../../components/back-link.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Cards } from '../../components/card.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Section } from '../../components/section.tsx'
import segments from '../../components/segments.module.css'
import { Trouble } from '../../components/trouble.tsx'
import { formatCount } from '../../format.ts'
import { href } from '../../paths.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import styles from './form-page.module.css'
import { DeleteForm, Emails, Retention } from './form-settings.tsx'
import { type FormAt, type Shown, useForms } from './forms.ts'
import { InboxActions, Submissions } from './submissions.tsx'

export function FormPage() {
  const { name = '', form = '' } = useParams<{ name: string; form: string }>()
  return <ProjectLayout tab="Forms">{() => <FormOf at={{ project: name, form }} />}</ProjectLayout>
}

type View = Shown | 'settings'

const views: readonly { view: View; title: (form: Form) => string }[] = [
  { view: 'all', title: () => 'Submissions' },
  { view: 'unread', title: ({ unread }) => (unread > 0 ? `Unread ${unread}` : 'Unread') },
  { view: 'spam', title: ({ spam }) => (spam > 0 ? `Spam ${spam}` : 'Spam') },
  { view: 'settings', title: () => 'Settings' },
]

const viewOf = (search: string): View => {
  const asked = new URLSearchParams(search).get('show')
  return views.find(({ view }) => view === asked)?.view ?? 'all'
}

function FormOf({ at }: { at: FormAt }) {
  const view = viewOf(useSearch())
  return (
    <Loaded resource={useForms(at.project)} rows={4} label="Loading the form">
      {forms => {
        const form = forms.find(({ name }) => name === at.form)
        if (!form) return <Missing at={at} />
        return (
          <Section
            above={<BackLink href={href('/projects/:name/forms', { name: at.project })}>All forms</BackLink>}
            title={form.name}
            lead={leadOf(form)}
            actions={<InboxActions at={at} form={form} />}
          >
            <Views at={at} form={form} chosen={view} />
            <div className={styles.view}>
              {view === 'settings' ? (
                <Cards>
                  <Emails at={at} form={form} />
                  <Retention at={at} form={form} />
                  <DeleteForm at={at} form={form} />
                </Cards>
              ) : (
                <Submissions key={view} at={at} show={view} />
              )}
            </div>
          </Section>
        )
      }}
    </Loaded>
  )
}

function leadOf({ submissions, trapped }: Form): string {
  const all = `${formatCount(submissions, 'submission')}, newest first`
  return trapped > 0 ? `${all}. ${formatCount(trapped, 'submission')} of bots dropped` : all
}

function Views({ at, form, chosen }: { at: FormAt; form: Form; chosen: View }) {
  const path = href('/projects/:name/forms/:form', { name: at.project, form: at.form })
  return (
    <nav className={segments.segments} aria-label="Show">
      {views.map(({ view, title }) => (
        <Link
          key={view}
          href={view === 'all' ? path : `${path}?show=${view}`}
          replace
          aria-current={view === chosen ? 'true' : undefined}
        >
          {title(form)}
        </Link>
      ))}
    </nav>
  )
}

function Missing({ at }: { at: FormAt }) {
  return (
    <Trouble
      title="Form not found"
      action={
        <LinkButton href={href('/projects/:name/forms', { name: at.project })}>Go to the forms</LinkButton>
      }
    >
      Nothing was sent to a form “{at.form}” of this project, or it was deleted.
    </Trouble>
  )
}
