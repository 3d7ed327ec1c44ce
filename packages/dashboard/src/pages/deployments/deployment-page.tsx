// One deployment: what it is, where it is, its files, and the log of the build that made it.
import type { DeploymentDetail, ProjectDetail } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { isOlderVersion } from '@svc/contract/versions'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { BackLink } from '../../components/back-link.tsx'
import { Button, LinkButton, SiteButton } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice, Warnings } from '../../components/notice.tsx'
import { Section } from '../../components/section.tsx'
import { StatusBadge, shownStatus } from '../../components/status-badge.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { Trouble } from '../../components/trouble.tsx'
import { config } from '../../config.ts'
import { bareUrl, formatCount, formatDuration } from '../../format.ts'
import { href } from '../../paths.ts'
import type { Resource } from '../../resource.ts'
import { uploader } from '../../upload/send.ts'
import { SharePreview } from '../access/share-preview.tsx'
import { BuildLog } from '../builds/build-log.tsx'
import { useBuild } from '../builds/builds.ts'
import { activate } from '../projects/project/detail.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { DeleteDeploymentDialog } from './delete-deployment-dialog.tsx'
import { DeploymentFiles } from './deployment-files.tsx'
import styles from './deployment-page.module.css'
import { GitRef } from './git-ref.tsx'
import { useDeployment } from './history.ts'
import { PromoteDialog } from './promote-dialog.tsx'
import { RedeployButton } from './redeploy-button.tsx'

export function DeploymentPage() {
  const { deployment = '' } = useParams<{ deployment: string }>()
  return (
    <ProjectLayout tab="Deployments" about={`Deployment ${deployment}`}>
      {(project, resource) => <OneDeployment project={project} resource={resource} id={deployment} />}
    </ProjectLayout>
  )
}

interface OneDeploymentProps {
  project: ProjectDetail
  resource: Resource<ProjectDetail>
  id: string
}

function OneDeployment({ project, resource, id }: OneDeploymentProps) {
  const { name } = project
  const { view } = useParams<{ view?: string }>()
  const detail = useDeployment(name, id)
  const at = { name, deployment: id }
  const viewPath = (view: string) => href('/projects/:name/deployments/:deployment/:view', { ...at, view })
  const refresh = async () => {
    await Promise.all([detail.refresh(), resource.refresh()])
  }
  return (
    <Loaded
      resource={detail}
      rows={4}
      label="Loading the deployment"
      missing={
        <Trouble
          title="Deployment not found"
          action={
            <LinkButton href={href('/projects/:name/deployments', { name })}>
              Go to the deployments
            </LinkButton>
          }
        >
          There is no deployment “{id}” in this project, or it was deleted.
        </Trouble>
      }
    >
      {deployment => (
        <Section
          title={deployment.commit_message?.split('\n')[0] || id}
          above={<BackLink href={href('/projects/:name/deployments', { name })}>All deployments</BackLink>}
          actions={<Actions project={project} deployment={deployment} refresh={refresh} />}
        >
          <Tabs
            label="Deployment"
            tabs={[
              { label: 'Overview', href: href('/projects/:name/deployments/:deployment', at) },
              { label: 'Files', href: viewPath('files') },
              ...(deployment.build_id ? [{ label: 'Build log', href: viewPath('build') }] : []),
              ...(deployment.kind === 'server'
                ? [
                    {
                      label: 'Runtime log',
                      href: `${href('/projects/:name/logs/:view', { name, view: 'app' })}?deployment=${id}`,
                    },
                  ]
                : []),
            ]}
          />
          {view === 'files' && <DeploymentFiles project={name} deployment={deployment} />}
          {view === 'build' && deployment.build_id && (
            <LogOfBuild project={name} build={deployment.build_id} />
          )}
          {view === undefined && <Overview project={name} deployment={deployment} />}
        </Section>
      )}
    </Loaded>
  )
}

function LogOfBuild({ project, build }: { project: string; build: string }) {
  return (
    <Loaded resource={useBuild(project, build)} rows={6} label="Loading the build log">
      {build => (
        <div className={styles.stack}>
          <BuildLog project={project} build={build} />
        </div>
      )}
    </Loaded>
  )
}

function Overview({ project, deployment }: { project: string; deployment: DeploymentDetail }) {
  const { error, warnings } = deployment
  return (
    <div className={styles.stack}>
      <Facts facts={factsOf(project, deployment)} />
      {error && (
        <Notice tone="error">
          <pre className={styles.error}>{error}</pre>
        </Notice>
      )}
      <Warnings warnings={warnings} />
    </div>
  )
}

const isOnline = ({ status }: DeploymentDetail) => status !== 'failed' && status !== 'uploading'

/** Says so if the command line is older than the platform. */
function uploadedWith(cli: string) {
  const { version, api_url } = config()
  if (cli === uploader) return 'the dashboard'
  if (!isOlderVersion(cli, version)) return `svc ${cli}`
  return (
    <>
      svc {cli}, which is older than this platform ({version}). Update it:{' '}
      <code>npm install -g {api_url}/svc.tgz</code>
    </>
  )
}

function factsOf(project: string, deployment: DeploymentDetail): Fact[] {
  const {
    created_by,
    duration_ms,
    file_count,
    size_bytes,
    framework,
    start_command,
    release_command,
    node_version,
  } = deployment
  const facts: (Fact | false | null | '')[] = [
    { label: 'Status', value: <StatusBadge status={shownStatus(deployment)} /> },
    {
      label: 'Id',
      value: (
        <Copyable text={deployment.id} label="Copy the deployment’s id">
          <code>{deployment.id}</code>
        </Copyable>
      ),
      isLong: true,
    },
    {
      label: 'Deployed',
      value: (
        <>
          <TimeAgo at={deployment.created_at} />
          {created_by && ` by ${created_by}`}
        </>
      ),
    },
    duration_ms !== null && { label: 'Duration', value: formatDuration(duration_ms) },
    (deployment.git_sha || deployment.git_branch) && { label: 'Source', value: <GitRef of={deployment} /> },
    deployment.commit_author && { label: 'Author', value: deployment.commit_author },
    file_count !== null && { label: 'Files', value: formatCount(file_count, 'file') },
    size_bytes !== null && { label: 'Size', value: formatBytes(size_bytes) },
    framework && { label: 'Framework', value: framework },
    start_command && { label: 'Start command', value: <code>{start_command}</code> },
    release_command && { label: 'Release command', value: <code>{release_command}</code> },
    node_version && { label: 'Node.js', value: node_version },
    deployment.cli_version && {
      label: 'Uploaded with',
      value: uploadedWith(deployment.cli_version),
    },
    isOnline(deployment) && {
      label: 'Permanent URL',
      value: <SiteLink url={deployment.url} label="Copy the permanent URL" />,
      isLong: true,
    },
    isOnline(deployment) &&
      deployment.branch_url && {
        label: 'Branch URL',
        value: <SiteLink url={deployment.branch_url} label="Copy the branch URL" />,
        isLong: true,
      },
    deployment.previous_id && {
      label: 'Replaced',
      value: (
        <Link
          href={href('/projects/:name/deployments/:deployment', {
            name: project,
            deployment: deployment.previous_id,
          })}
        >
          {deployment.previous_id}
        </Link>
      ),
    },
  ]
  return facts.filter(fact => typeof fact === 'object' && fact !== null)
}

const SiteLink = ({ url, label }: { url: string; label: string }) => (
  <Copyable text={url} label={label}>
    <a href={url} target="_blank" rel="noreferrer">
      {bareUrl(url)}
    </a>
  </Copyable>
)

interface ActionsProps {
  project: ProjectDetail
  deployment: DeploymentDetail
  refresh: () => Promise<void>
}

function Actions({ project, deployment, refresh }: ActionsProps) {
  const [, navigate] = useLocation()
  const [asking, setAsking] = useState<'promote' | 'delete'>()
  const { id, status } = deployment
  const isLive = project.active_deployment_id === id
  const close = () => {
    setAsking(undefined)
    void refresh()
  }
  return (
    <>
      {isOnline(deployment) && (
        <SiteButton href={deployment.url} size="small">
          Open
        </SiteButton>
      )}
      {isOnline(deployment) && <SharePreview project={project} deployment={deployment} />}
      {status === 'superseded' && !isLive && (
        <Button size="small" icon="rollback" onClick={() => void activate(project, id, refresh)}>
          Roll back to this
        </Button>
      )}
      {status === 'branch' && !isLive && (
        <Button size="small" icon="upload" onClick={() => setAsking('promote')}>
          Promote
        </Button>
      )}
      {deployment.build_id && project.repo && (
        <RedeployButton project={project.name} build={deployment.build_id} />
      )}
      {!isLive && status !== 'uploading' && (
        <Button size="small" icon="trash" onClick={() => setAsking('delete')}>
          Delete
        </Button>
      )}
      {asking === 'promote' && <PromoteDialog project={project} deployment={deployment} onClose={close} />}
      {asking === 'delete' && (
        <DeleteDeploymentDialog
          project={project}
          deployment={deployment}
          onClose={() => setAsking(undefined)}
          onDeleted={() => navigate(href('/projects/:name/deployments', { name: project.name }))}
        />
      )}
    </>
  )
}
