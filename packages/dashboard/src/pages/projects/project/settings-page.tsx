import type { Org, ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Card, CardAction, Cards } from '../../../components/card.tsx'
import { Copyable } from '../../../components/copy.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useOrgs } from '../../../orgs.ts'
import { DeleteProjectDialog } from './delete-project-dialog.tsx'
import { NodeCard } from './node-card.tsx'
import { mayTakeAway } from './owners.ts'
import { ProjectLayout } from './project-layout.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { RetentionCard } from './retention-card.tsx'
import styles from './settings-page.module.css'
import { TransferDialog } from './transfer-dialog.tsx'

export function ProjectSettingsPage() {
  const { data: orgs } = useOrgs()
  return (
    <ProjectLayout tab="General">
      {project => (
        <Cards>
          <About project={project} />
          <Rename project={project} orgs={orgs} />
          <NodeCard name={project.name} />
          <RetentionCard project={project} allowed={mayTakeAway(project, orgs)} />
          <Transfer project={project} orgs={orgs} />
          <Delete project={project} orgs={orgs} />
        </Cards>
      )}
    </ProjectLayout>
  )
}

interface SectionProps {
  project: ProjectDetail
  orgs: Org[] | undefined
}

function About({ project }: { project: ProjectDetail }) {
  return (
    <Card title="About">
      <dl className={styles.facts}>
        <dt>Id</dt>
        <dd>
          <Copyable text={project.id} label="Copy the project’s id">
            <code>{project.id}</code>
          </Copyable>
        </dd>
        <dt>URL</dt>
        <dd>
          <Copyable text={project.url} label="Copy the project’s URL">
            {project.url}
          </Copyable>
        </dd>
        <dt>Owner</dt>
        <dd>{project.org ?? 'You'}</dd>
        <dt>Created</dt>
        <dd>
          <TimeAgo at={project.created_at} />
        </dd>
      </dl>
    </Card>
  )
}

function Rename({ project, orgs }: SectionProps) {
  const [open, setOpen] = useState(false)
  const allowed = mayTakeAway(project, orgs)
  return (
    <Card title="Name">
      <CardAction
        words={
          allowed === false
            ? `Only admins and owners of ${project.org} can rename its projects.`
            : 'The name is part of the URL. The former URL redirects to the new one for 30 days.'
        }
      >
        <Button disabled={!allowed} onClick={() => setOpen(true)}>
          Rename project
        </Button>
      </CardAction>
      {open && <RenameDialog project={project} onClose={() => setOpen(false)} />}
    </Card>
  )
}

function Transfer({ project, orgs }: SectionProps) {
  const [open, setOpen] = useState(false)
  const allowed = mayTakeAway(project, orgs)
  const nowhere = project.org === null && orgs?.length === 0
  return (
    <Card title="Transfer">
      <CardAction words={transferWords(project, allowed, nowhere)}>
        <Button disabled={!orgs || !allowed || nowhere} onClick={() => setOpen(true)}>
          Transfer project
        </Button>
      </CardAction>
      {open && orgs && <TransferDialog project={project} orgs={orgs} onClose={() => setOpen(false)} />}
    </Card>
  )
}

function transferWords({ org }: ProjectDetail, allowed: boolean | undefined, nowhere: boolean): string {
  if (allowed === false) return `Only admins and owners of ${org} can take a project out of it.`
  if (nowhere) return 'You are in no organization yet, so there is nobody to give it to.'
  return 'Give it to another owner. The site, its name and its settings stay as they are.'
}

function Delete({ project, orgs }: SectionProps) {
  const [open, setOpen] = useState(false)
  const allowed = mayTakeAway(project, orgs)
  return (
    <Card title="Delete project" danger>
      <CardAction
        words={
          allowed === false
            ? `Only admins and owners of ${project.org} can delete its projects.`
            : 'The site goes offline, and all deployments and settings are removed for good.'
        }
      >
        <Button look="danger" disabled={!allowed} onClick={() => setOpen(true)}>
          Delete project
        </Button>
      </CardAction>
      {open && <DeleteProjectDialog project={project} onClose={() => setOpen(false)} />}
    </Card>
  )
}
