import type { ProjectDetail } from '@svc/contract'
import { useEffect } from 'react'
import { Link, useParams } from 'wouter'
import { LinkButton } from '../../../components/button.tsx'
import { FromTerminal } from '../../../components/from-terminal.tsx'
import { Section } from '../../../components/section.tsx'
import { DropZone } from '../../../drop/drop-zone.tsx'
import { href } from '../../../paths.ts'
import { isUnderWay, useUpload } from '../../../upload/uploads.ts'
import { ServerApp } from '../../apps/server-app.tsx'
import { LastBuild } from '../../builds/last-build.tsx'
import { PushCard } from '../../builds/push-card.tsx'
import { ActiveDeployment } from '../../deployments/active-deployment.tsx'
import { DeploymentTable } from '../../deployments/deployment-table.tsx'
import { useDeployment } from '../../deployments/history.ts'
import { UploadPanel } from '../../deployments/upload-panel.tsx'
import { NextSteps } from './next-steps.tsx'
import { ProjectLayout } from './project-layout.tsx'
import styles from './project-page.module.css'

export function ProjectPage() {
  const { name = '' } = useParams<{ name: string }>()
  const upload = useUpload(name)
  return (
    <ProjectLayout tab="Overview">
      {(project, { refresh }) => {
        const active = project.deployments.find(({ id }) => id === project.active_deployment_id)
        return (
          <div className={styles.parts}>
            <Refresher when={upload?.step ?? 'none'} refresh={refresh} />
            {project.repo && <LastBuild project={name} onEnd={refresh} />}
            {active && <ActiveDeployment project={project} deployment={active} refresh={refresh} />}
            {active && project.app && (
              <ServerApp project={name} deployment={active} app={project.app} refresh={refresh} />
            )}
            {!active && project.active_deployment_id && (
              <OlderLive project={project} id={project.active_deployment_id} refresh={refresh} />
            )}
            {project.active_deployment_id && <NextSteps project={project} />}
            {upload && <UploadPanel project={name} upload={upload} />}
            {project.deployments.length === 0 && project.repo && (
              <PushCard project={project} repo={project.repo} />
            )}
            {!isUnderWay(upload) && (
              <DropZone compact={project.deployments.length > 0} target={{ kind: 'project', name }} />
            )}
            {project.deployments.length === 0 && !project.repo && (
              <p className={styles.or}>
                Or let every push be built and deployed:
                <LinkButton size="small" icon="branch" href={href('/projects/:name/git', { name })}>
                  Connect a repository
                </LinkButton>
              </p>
            )}
            {project.deployments.length === 0 && (
              <FromTerminal
                words="Or from your terminal, in the folder of the project:"
                command={`svc deploy --project ${name}`}
              />
            )}
            {project.deployments.length > 0 && <Recent project={project} refresh={refresh} />}
          </div>
        )
      }}
    </ProjectLayout>
  )
}

/** Shows the live deployment if it is too old to be in the list of recent ones. */
function OlderLive({
  project,
  id,
  refresh,
}: {
  project: ProjectDetail
  id: string
  refresh: () => Promise<void>
}) {
  const { data } = useDeployment(project.name, id)
  return data ? <ActiveDeployment project={project} deployment={data} refresh={refresh} /> : null
}

function Recent({ project, refresh }: { project: ProjectDetail; refresh: () => Promise<void> }) {
  return (
    <Section
      title="Recent deployments"
      actions={
        <Link href={href('/projects/:name/deployments', { name: project.name })}>All deployments</Link>
      }
    >
      <DeploymentTable project={project} rows={project.deployments} refresh={refresh} />
    </Section>
  )
}

/** Reads the project again when an upload has ended, well or not: its record is there in both cases. */
function Refresher({ when, refresh }: { when: string; refresh: () => Promise<void> }) {
  useEffect(() => {
    if (['live', 'failed', 'cancelled'].includes(when)) void refresh()
  }, [when, refresh])
  return null
}
