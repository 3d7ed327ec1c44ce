import { useState } from 'react'
import { useLocation } from 'wouter'
import { call, codeOf, explain } from '../../api.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { isAboutTheName, NameField } from '../../components/name-field.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeader, PageTitle } from '../../components/page.tsx'
import { Shell } from '../../components/shell.tsx'
import { nameProblem } from '../../name-rules.ts'
import { forgetOrg, orgPath } from '../../orgs.ts'
import { href } from '../../paths.ts'
import { leaving, useWork } from '../../use-work.ts'
import styles from './new-org-page.module.css'

type Fault = { about: 'name' | 'plan' | 'all'; text: string }

function faultOf(error: unknown): Fault {
  const about = isAboutTheName(error) ? 'name' : codeOf(error) === 'quota_exceeded' ? 'plan' : 'all'
  return { about, text: explain(error) }
}

export function NewOrgPage() {
  const [name, setName] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [fault, setFault] = useState<Fault>()
  const { busy, run } = useWork(failure => setFault(faultOf(failure)))
  const [, navigate] = useLocation()

  async function create() {
    const problem = name === '' ? 'Give the organization a name.' : nameProblem(name)
    setFault(problem === undefined ? undefined : { about: 'name', text: problem })
    if (problem !== undefined) return
    await call('POST /orgs', { body: { name, display_name: displayName.trim() || null } })
    forgetOrg(name)
    navigate(orgPath(name))
    return leaving
  }

  return (
    <Shell crumbs={[{ label: 'New organization', href: href('/orgs/new') }]}>
      <PageHeader>
        <PageTitle title="New organization" />
        <p className={styles.lead}>
          A workspace for a team. Its projects belong to all of it, with a role for everyone.
        </p>
      </PageHeader>
      <Form className={styles.form} onSubmit={() => run(create)}>
        {fault?.about === 'all' && <Notice tone="error">{fault.text}</Notice>}
        {fault?.about === 'plan' && (
          <Notice tone="error">
            <strong>Your plan has no room for another organization.</strong>
            <span>{fault.text}</span>
          </Notice>
        )}
        <NameField
          placeholder="acme"
          value={name}
          error={fault?.about === 'name' ? fault.text : undefined}
          onChange={typed => {
            setName(typed)
            setFault(undefined)
          }}
        />
        <Field
          label="Display name"
          optional
          name="display_name"
          autoComplete="organization"
          maxLength={100}
          placeholder="Acme Inc."
          value={displayName}
          hint="What people see. It can be changed at any time; the name cannot."
          onChange={event => setDisplayName(event.target.value)}
        />
        <div className={styles.actions}>
          <Button type="submit" look="primary" busy={busy}>
            Create organization
          </Button>
          <LinkButton href={href('/')} look="quiet">
            Cancel
          </LinkButton>
        </div>
      </Form>
    </Shell>
  )
}
