import { useEffect } from 'react'
import { useParams } from 'wouter'
import { FromTerminal } from '../../../components/from-terminal.tsx'
import { Notice } from '../../../components/notice.tsx'
import { DropZone } from '../../../upload/drop-zone.tsx'
import { isUnderWay, startUpload, useUpload } from '../../../upload/uploads.ts'
import { ServerApp } from '../../apps/server-app.tsx'
import { LastBuild } from '../../builds/last-build.tsx'
import { ActiveDeployment } from '../../deployments/active-deployment.tsx'
import { DeploymentTable } from '../../deployments/deployment-table.tsx'
import { UploadPanel } from '../../deployments/upload-panel.tsx'
import { ProjectLayout } from './project-layout.tsx'
import styles from './project-page.module.css'

export function ProjectPage() {
  const { name = '' } = useParams<{ name: string }>()
  const upload = useUpload(name)
  return (
    <ProjectLayout tab="Deployments">
      {(project, { refresh }) => {
        const active = project.deployments.find(({ id }) => id === project.active_deployment_id)
        return (
          <div className={styles.parts}>
            <Refresher when={upload?.step ?? 'none'} refresh={refresh} />
            {project.repo && <LastBuild project={name} onEnd={refresh} />}
            {active && <ActiveDeployment project={name} deployment={active} />}
            {active && project.app && (
              <ServerApp project={name} deployment={active} app={project.app} refresh={refresh} />
            )}
            {!active && project.active_deployment_id && (
              <Notice tone="info">
                <p>
                  <code>{project.active_deployment_id}</code> is live. It is older than the deployments listed
                  here.
                </p>
              </Notice>
            )}
            {upload && <UploadPanel project={name} upload={upload} />}
            {!isUnderWay(upload) && (
              <DropZone
                compact={project.deployments.length > 0}
                onFiles={collecting => void startUpload(name, collecting)}
              />
            )}
            {project.deployments.length === 0 && (
              <FromTerminal
                words="Or from your terminal, in the folder that holds the built site:"
                command={`svc deploy --project ${name}`}
              />
            )}
            {project.deployments.length > 0 && <DeploymentTable project={project} refresh={refresh} />}
          </div>
        )
      }}
    </ProjectLayout>
  )
}

/** Reads the project again when an upload has ended, well or not: its record is there in both cases. */
function Refresher({ when, refresh }: { when: string; refresh: () => Promise<void> }) {
  useEffect(() => {
    if (when === 'live' || when === 'failed') void refresh()
  }, [when, refresh])
  return null
}
