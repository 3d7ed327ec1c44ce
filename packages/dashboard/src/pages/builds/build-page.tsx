// One build: how it went, what can be done about it, and its log as it grows.
import type { Build, ProjectDetail } from '@svc/contract'
import { useEffect } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { BackLink } from '../../components/back-link.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Section } from '../../components/section.tsx'
import { TimeAgo, useNow } from '../../components/time-ago.tsx'
import { Trouble } from '../../components/trouble.tsx'
import { shortSha } from '../../format.ts'
import { href } from '../../paths.ts'
import { useWork } from '../../use-work.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { BuildLog } from './build-log.tsx'
import { BuildStatusBadge } from './build-status.tsx'
import styles from './builds.module.css'
import { cancelBuild, duration, isUnderWay, lookEveryMs, rebuild, useBuild } from './builds.ts'

export function BuildPage() {
  const { build = '' } = useParams<{ build: string }>()
  return (
    <ProjectLayout tab="Git" about={`Build ${build}`}>
      {project => <OneBuild project={project} id={build} />}
    </ProjectLayout>
  )
}

function OneBuild({ project: { name: project }, id }: { project: ProjectDetail; id: string }) {
  const resource = useBuild(project, id)
  const { data, refresh } = resource
  const underWay = data !== undefined && isUnderWay(data)
  useEffect(() => {
    if (!underWay) return
    const timer = setInterval(() => void refresh(), lookEveryMs)
    return () => clearInterval(timer)
  }, [underWay, refresh])
  return (
    <div className={styles.page}>
      <Loaded
        resource={resource}
        rows={4}
        label="Loading the build"
        missing={
          <Trouble
            title="Build not found"
            action={
              <LinkButton href={href('/projects/:name/git', { name: project })}>Go to the builds</LinkButton>
            }
          >
            There is no build “{id}” in this project, or it was deleted.
          </Trouble>
        }
      >
        {build => (
          <Section
            title={(build.commit_message ?? '').split('\n')[0] || build.id}
            above={<BackLink href={href('/projects/:name/git', { name: project })}>All builds</BackLink>}
            actions={<Actions project={project} build={build} refresh={refresh} />}
          >
            <div className={styles.stack}>
              <BuildFacts project={project} build={build} />
              {build.error && build.status !== 'cancelled' && <Notice tone="error">{build.error}</Notice>}
              <BuildLog key={id} project={project} build={build} />
            </div>
          </Section>
        )}
      </Loaded>
    </div>
  )
}

function BuildFacts({ project, build }: { project: string; build: Build }) {
  const now = useNow()
  const took = duration(build, now)
  return (
    <Facts
      facts={[
        { label: 'Status', value: <BuildStatusBadge status={build.status} /> },
        { label: 'Branch', value: build.branch },
        {
          label: 'Commit',
          value: <code data-tip={build.commit_sha ?? ''}>{shortSha(build.commit_sha ?? '')}</code>,
        },
        ...(build.author ? [{ label: 'Author', value: build.author }] : []),
        { label: 'Queued', value: <TimeAgo at={build.created_at} /> },
        ...(build.position === undefined
          ? []
          : [{ label: 'Place in the queue', value: String(build.position) }]),
        ...(took ? [{ label: 'Duration', value: took }] : []),
        ...(build.deployment_id
          ? [{ label: 'Deployment', value: <DeploymentLink project={project} id={build.deployment_id} /> }]
          : []),
      ]}
    />
  )
}

const DeploymentLink = ({ project, id }: { project: string; id: string }) => (
  <Link href={href('/projects/:name/deployments/:deployment', { name: project, deployment: id })}>{id}</Link>
)

interface ActionsProps {
  project: string
  build: Build
  refresh: () => Promise<void>
}

function Actions({ project, build, refresh }: ActionsProps) {
  const [, navigate] = useLocation()
  const { busy, run } = useWork()

  if (isUnderWay(build))
    return (
      <Button busy={busy} onClick={() => run(() => cancelBuild(project, build.id).then(refresh))}>
        Cancel build
      </Button>
    )
  const again = async () => {
    const { id } = await rebuild(project, build.id)
    navigate(href('/projects/:name/git/:build', { name: project, build: id }))
  }
  return (
    <Button busy={busy} onClick={() => run(again)}>
      Build again
    </Button>
  )
}
