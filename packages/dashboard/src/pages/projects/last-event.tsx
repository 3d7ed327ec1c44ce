// What happened last in a project. A failure leads to its log.
import type { ListedProject } from '@svc/contract'
import { Link } from 'wouter'
import { TimeAgo } from '../../components/time-ago.tsx'
import { href } from '../../paths.ts'
import { DeployedBy } from './deployed-by.tsx'
import styles from './last-event.module.css'
import { failedBuild } from './state.ts'

export const LastEvent = ({ project }: { project: ListedProject }) => (
  <p className={styles.when}>
    <Event project={project} />
  </p>
)

function Event({ project }: { project: ListedProject }) {
  const { name, last_deployment: last, created_at } = project
  const build = failedBuild(project)
  if (build)
    return (
      <Link href={href('/projects/:name/git/:build', { name, build: build.id })}>
        Build of {build.branch} failed <TimeAgo at={build.at} />
      </Link>
    )
  const words = <DeployedBy deployment={last} createdAt={created_at} />
  if (last?.status !== 'failed') return words
  return (
    <Link href={href('/projects/:name/deployments/:deployment', { name, deployment: last.id })}>{words}</Link>
  )
}
