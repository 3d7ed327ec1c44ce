import type { OrgDetail } from '@svc/contract'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Card, CardAction, Cards } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Field } from '../../components/field.tsx'
import { LineForm } from '../../components/form.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatCount } from '../../format.ts'
import { changeOrg, forgetOrg, titleOf } from '../../orgs.ts'
import { href } from '../../paths.ts'
import { may } from '../../rights.ts'
import { useFormWork } from '../../use-work.ts'
import { LimitsCard } from '../billing/limits-card.tsx'
import { Targets } from '../notifications/targets.tsx'
import { IconSetting } from './icon-setting.tsx'
import { Installations } from './installations.tsx'
import { OrgLayout } from './org-layout.tsx'

export function OrgSettingsPage() {
  return (
    <OrgLayout tab="Settings">
      {org => (
        <Cards>
          {may(org.role, 'PATCH /orgs/:name') && <DisplayName org={org} />}
          {may(org.role, 'PUT /orgs/:name/icon') && <IconSetting org={org} />}
          <LimitsCard org={org.name} />
          <Installations org={org} />
          {may(org.role, 'GET /orgs/:name/notifications') && (
            <Targets owner={{ base: 'orgs', name: org.name }} />
          )}
          {may(org.role, 'DELETE /orgs/:name') && <Delete org={org} />}
        </Cards>
      )}
    </OrgLayout>
  )
}

function DisplayName({ org }: { org: OrgDetail }) {
  const [name, setName] = useState(org.display_name ?? '')
  const { busy, error, setError, run } = useFormWork()
  const unchanged = name.trim() === (org.display_name ?? '')

  async function save() {
    const body = { display_name: name.trim() || null }
    const { display_name } = await call('PATCH /orgs/:name', { params: { name: org.name }, body })
    changeOrg(org.name, { display_name })
    notify({ tone: 'ok', text: 'The display name was saved.' })
  }

  return (
    <Card
      title="Display name"
      lead={
        <>
          What people see. The name <code>{org.name}</code> stays; URLs and the command line use it.
        </>
      }
    >
      <LineForm
        onSubmit={() => {
          if (!unchanged) run(save)
        }}
      >
        <Field
          label="Display name"
          name="display_name"
          autoComplete="organization"
          maxLength={100}
          placeholder={org.name}
          value={name}
          error={error}
          onChange={event => {
            setName(event.target.value)
            setError(undefined)
          }}
        />
        <Button type="submit" size="large" busy={busy} disabled={unchanged}>
          Save
        </Button>
      </LineForm>
    </Card>
  )
}

function Delete({ org }: { org: OrgDetail }) {
  const [asking, setAsking] = useState(false)
  const [, navigate] = useLocation()
  const title = titleOf(org)

  async function run() {
    await call('DELETE /orgs/:name', { params: { name: org.name } })
    forgetOrg(org.name)
    navigate(href('/'))
    notify({ tone: 'ok', text: `${title} was deleted.` })
  }

  return (
    <Card title="Delete organization" danger>
      <CardAction words={deletionWords(org)}>
        <Button look="danger" disabled={org.project_count > 0} onClick={() => setAsking(true)}>
          Delete organization
        </Button>
      </CardAction>
      {asking && (
        <ConfirmDialog
          title={`Delete ${title}?`}
          action="Delete organization"
          typed={org.name}
          run={run}
          onClose={() => setAsking(false)}
        >
          <p>
            All members lose the organization, its tokens stop working, and its activity log is gone. Nobody
            can bring it back.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

function deletionWords({ project_count }: OrgDetail): ReactNode {
  if (project_count === 0) return 'Members, invites, tokens and the activity log are removed for good.'
  const projects = formatCount(project_count, 'project')
  return `It still has ${projects}. Delete ${project_count === 1 ? 'it' : 'them'} or transfer ${project_count === 1 ? 'it' : 'them'} first.`
}
