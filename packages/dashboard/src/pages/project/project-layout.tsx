// The frame that all pages of a project share: its name, its address and its tabs.
import type { ProjectDetail } from '@svc/contract'
import type { ReactNode } from 'react'
import { useParams } from 'wouter'
import { codeOf } from '../../api.ts'
import { LinkButton, SiteButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { PageHeader, PageTitle, useTitle } from '../../components/page.tsx'
import { Shell } from '../../components/shell.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { LoadFailure, Trouble } from '../../components/trouble.tsx'
import { bareUrl } from '../../format.ts'
import type { Resource } from '../../resource.ts'
import { useProject } from './detail.ts'
import styles from './project-layout.module.css'

const tabs = [
  { path: '', label: 'Deployments' },
  { path: '/analytics', label: 'Analytics' },
  { path: '/logs', label: 'Logs' },
  { path: '/domains', label: 'Domains' },
  { path: '/environment', label: 'Environment' },
  { path: '/crons', label: 'Crons' },
  { path: '/forms', label: 'Forms' },
  { path: '/access', label: 'Access' },
  { path: '/activity', label: 'Activity' },
  { path: '/settings', label: 'Settings' },
] as const

interface ProjectLayoutProps {
  tab: (typeof tabs)[number]['label']
  children: (project: ProjectDetail, resource: Resource<ProjectDetail>) => ReactNode
}

export function ProjectLayout({ tab, children }: ProjectLayoutProps) {
  const { name = '' } = useParams<{ name: string }>()
  const resource = useProject(name)
  const { data: project, error, loading, refresh } = resource
  const home = `/projects/${name}`

  return (
    <Shell org={project?.org ?? null} crumbs={[{ label: name, href: home }]}>
      {!project && error === undefined && <Loading name={name} />}
      {!project && error !== undefined && codeOf(error) === 'not_found' && <Missing name={name} />}
      {!project && error !== undefined && codeOf(error) !== 'not_found' && (
        <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
      )}
      {project && (
        <>
          <PageHeader
            actions={project.active_deployment_id && <SiteButton href={project.url}>Open site</SiteButton>}
          >
            <PageTitle title={tab === 'Deployments' ? name : `${tab} of ${name}`}>{name}</PageTitle>
            <p className={styles.address}>
              <a href={project.url} target="_blank" rel="noreferrer">
                {bareUrl(project.url)}
              </a>
              <CopyButton text={project.url} label="Copy the site’s address" />
            </p>
          </PageHeader>
          <Tabs label="Project" tabs={tabs.map(({ path, label }) => ({ label, href: home + path }))} />
          {children(project, resource)}
        </>
      )}
    </Shell>
  )
}

function Loading({ name }: { name: string }) {
  useTitle(name)
  return <SkeletonRows count={5} label={`Loading ${name}`} />
}

function Missing({ name }: { name: string }) {
  useTitle('Project not found')
  return (
    <Trouble title="Project not found" action={<LinkButton href="/">Go to your projects</LinkButton>}>
      There is no project “{name}”, or it belongs to someone else.
    </Trouble>
  )
}
