import { useState } from 'react'
import { useParams } from 'wouter'
import { Button, LinkButton } from '../../components/button.tsx'
import { Section } from '../../components/section.tsx'
import { orgPath } from '../../orgs.ts'
import { may } from '../../rights.ts'
import { projectsOf } from '../projects/list.ts'
import type { Beginning } from '../projects/new-project-dialog.tsx'
import { ProjectListing } from '../projects/project-listing.tsx'
import { OrgLayout } from './org-layout.tsx'

export function OrgProjectsPage() {
  const { name = '' } = useParams<{ name: string }>()
  const [creating, setCreating] = useState<Beginning>()
  const projects = projectsOf({ org: name }).use()
  const empty = projects.data?.rows.length === 0
  return (
    <OrgLayout
      tab="Projects"
      actions={() =>
        !empty && (
          <Button look="primary" icon="plus" onClick={() => setCreating('repository')}>
            New project
          </Button>
        )
      }
    >
      {org => (
        <ProjectListing
          org={name}
          projects={projects}
          creating={creating}
          onCreating={setCreating}
          welcome={<Welcome name={name} invites={may(org.role, 'POST /orgs/:name/invites')} />}
        />
      )}
    </OrgLayout>
  )
}

/** What an org is for, while it is new. */
function Welcome({ name, invites }: { name: string; invites: boolean }) {
  return (
    <Section
      title="Deploy the team’s first site"
      lead={`A project in ${name} belongs to the organization: every member can deploy it and roll it back.`}
      actions={
        invites && (
          <LinkButton href={orgPath(name, '/orgs/:name/members')} icon="users">
            Invite people
          </LinkButton>
        )
      }
    />
  )
}
