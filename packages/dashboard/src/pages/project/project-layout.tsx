// The frame that all pages of a project share: its name and its address.
import type { ProjectDetail } from '@svc/contract'
import type { ReactNode } from 'react'
import { useParams } from 'wouter'
import { codeOf } from '../../api.ts'
import { LinkButton, SiteButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { PageHeader, PageTitle, useTitle } from '../../components/page.tsx'
import { Shell } from '../../components/shell.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { LoadFailure, Trouble } from '../../components/trouble.tsx'
import { bareUrl } from '../../format.ts'
import type { Resource } from '../../resource.ts'
import { useProject } from './detail.ts'
import styles from './project-layout.module.css'

interface ProjectLayoutProps {
  children: (project: ProjectDetail, resource: Resource<ProjectDetail>) => ReactNode
}

export function ProjectLayout({ children }: ProjectLayoutProps) {
  const { name = '' } = useParams<{ name: string }>()
  const resource = useProject(name)
  const { data: project, error, loading, refresh } = resource

  return (
    <Shell crumbs={[{ label: name, href: `/projects/${name}` }]}>
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
            <PageTitle title={name} />
            <p className={styles.address}>
              <a href={project.url} target="_blank" rel="noreferrer">
                {bareUrl(project.url)}
              </a>
              <CopyButton text={project.url} label="Copy the site’s address" />
            </p>
          </PageHeader>
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
