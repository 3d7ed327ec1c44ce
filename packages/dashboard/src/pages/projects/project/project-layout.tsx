// The frame that all pages of a project share: its name, its URL and its tabs.
import type { ProjectDetail } from '@svc/contract'
import type { ReactNode } from 'react'
import { useParams } from 'wouter'
import { codeOf } from '../../../api.ts'
import { LinkButton, SiteButton } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Notice } from '../../../components/notice.tsx'
import { PageHeader, PageTitle, useTitle } from '../../../components/page.tsx'
import { Shell } from '../../../components/shell.tsx'
import { SideList } from '../../../components/side-list.tsx'
import { Tabs } from '../../../components/tabs.tsx'
import { Trouble } from '../../../components/trouble.tsx'
import { siteUrl } from '../../../config.ts'
import { bareUrl } from '../../../format.ts'
import { href, type PathWith } from '../../../paths.ts'
import type { Resource } from '../../../resource.ts'
import { useProject } from './detail.ts'
import { ProductionLockNotice } from './production-lock.tsx'
import styles from './project-layout.module.css'

const tabs = [
  { path: '/projects/:name', label: 'Overview' },
  { path: '/projects/:name/deployments', label: 'Deployments' },
  { path: '/projects/:name/git', label: 'Git' },
  { path: '/projects/:name/analytics', label: 'Analytics' },
  { path: '/projects/:name/metrics', label: 'Metrics' },
  { path: '/projects/:name/logs', label: 'Logs' },
  { path: '/projects/:name/forms', label: 'Forms' },
  { path: '/projects/:name/crons', label: 'Crons' },
  { path: '/projects/:name/activity', label: 'Activity' },
  { path: '/projects/:name/settings', label: 'Settings' },
] as const

/** The pages of the Settings tab, in a list at its side. */
const settings = [
  { path: '/projects/:name/settings', label: 'General' },
  { path: '/projects/:name/domains', label: 'Domains' },
  { path: '/projects/:name/environment', label: 'Environment' },
  { path: '/projects/:name/storage', label: 'Storage' },
  { path: '/projects/:name/access', label: 'Access' },
  { path: '/projects/:name/notifications', label: 'Notifications' },
] as const

interface ProjectLayoutProps {
  /** What the page shows, if it is less than the tab. */
  about?: string
  tab: Exclude<(typeof tabs)[number]['label'], 'Settings'> | (typeof settings)[number]['label']
  children: (project: ProjectDetail, resource: Resource<ProjectDetail>) => ReactNode
}

export function ProjectLayout({ tab, about = tab, children }: ProjectLayoutProps) {
  const { name = '' } = useParams<{ name: string }>()
  const resource = useProject(name)
  const { data: project, error } = resource
  const url = project?.primary_url ?? project?.url ?? siteUrl(name)
  const linksTo = (pages: readonly { path: PathWith<'name'>; label: string }[]) =>
    pages.map(({ path, label }) => ({ label, href: href(path, { name }) }))
  const isSetting = settings.some(({ label }) => label === tab)
  const content = (
    <Loaded resource={resource} rows={5} label={`Loading ${name}`}>
      {project => children(project, resource)}
    </Loaded>
  )

  return (
    <Shell org={project?.org ?? null} crumbs={[{ label: name, href: href('/projects/:name', { name }) }]}>
      {!project && codeOf(error) === 'not_found' ? (
        <Missing name={name} />
      ) : (
        <>
          <PageHeader
            actions={project?.active_deployment_id && <SiteButton href={url}>Open site</SiteButton>}
          >
            <PageTitle title={about === 'Overview' ? name : `${about} of ${name}`}>{name}</PageTitle>
            <p className={styles.address}>
              {/* Until the API has answered, this name is only what the URL says. */}
              {project ? (
                <a href={url} target="_blank" rel="noreferrer">
                  {bareUrl(url)}
                </a>
              ) : (
                <span>{bareUrl(url)}</span>
              )}
              <CopyButton text={url} label="Copy the site’s URL" />
            </p>
          </PageHeader>
          <div className={styles.notices}>
            {project?.suspended && (
              <Notice tone="error">
                The operator suspended this project or its owner. Visitors get the status{' '}
                {project.suspended.status}, and nothing can be deployed. Nothing is deleted. Reason:{' '}
                {project.suspended.reason}
              </Notice>
            )}
            {project?.production_lock && project.repo && (
              <ProductionLockNotice project={project} lock={project.production_lock} />
            )}
          </div>
          <Tabs label="Project" tabs={linksTo(tabs)} current={isSetting ? 'Settings' : tab} />
          {isSetting ? (
            <div className={styles.settings}>
              <SideList label="Settings" links={linksTo(settings)} current={tab} />
              <div className={styles.setting}>{content}</div>
            </div>
          ) : (
            content
          )}
        </>
      )}
    </Shell>
  )
}

function Missing({ name }: { name: string }) {
  useTitle('Project not found')
  return (
    <Trouble
      title="Project not found"
      level={1}
      action={<LinkButton href={href('/')}>Go to your projects</LinkButton>}
    >
      There is no project “{name}”, or it belongs to someone else.
    </Trouble>
  )
}
