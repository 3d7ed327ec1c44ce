// What happened last in a workspace: the last deployments, builds that failed, and changes of domains, variables, members and so on.
import type { AuditEntry, ListedProject } from '@svc/contract'
import { Link } from 'wouter'
import { call } from '../../api.ts'
import { Feed, FeedRow } from '../../components/feed.tsx'
import { Section } from '../../components/section.tsx'
import { StatusBadge, shownStatus } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { href } from '../../paths.ts'
import { useResource } from '../../resource.ts'
import { Sentence } from '../platform/audit/sentence.tsx'
import { DeployedBy } from './deployed-by.tsx'
import { type FailedBuild, failedBuilds, type LastDeploy, lastDeploys } from './lately.ts'

/** How many rows are shown, and how many of them are deployments. */
const most = 8
const deploysAtMost = 6

/** Deployments have rows of their own, with what became of them. */
const isDeploy = ({ action }: AuditEntry) => action === 'deployment.upload'

function useActivity(org: string | undefined): AuditEntry[] {
  const load = async () =>
    (await call('GET /activity', { query: { limit: '50', ...(org !== undefined && { org }) } })).entries
  const { data } = useResource(`activity of ${org ?? ''}`, load, {
    topics: ['workspace', 'project', 'domain', 'cron'],
  })
  return data?.filter(entry => !isDeploy(entry)) ?? []
}

interface ActivityProps {
  org: string | undefined
  /** Those that were changed last. */
  projects: readonly ListedProject[]
}

export default function Activity({ org, projects }: ActivityProps) {
  const changes = useActivity(org)
  const rows = [
    ...lastDeploys(projects, deploysAtMost).map(deploy => ({
      at: deploy.deployment.at,
      row: <Deploy key={deploy.deployment.id} {...deploy} />,
    })),
    ...failedBuilds(projects).map(failed => ({
      at: failed.build.at,
      row: <Failed key={failed.build.id} {...failed} />,
    })),
    ...changes.map((entry, at) => ({
      at: entry.at,
      // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and the log only grows at its ends
      row: <Change key={at} entry={entry} />,
    })),
  ]
    .sort((one, other) => other.at.localeCompare(one.at))
    .slice(0, most)
  if (rows.length === 0) return null
  return (
    <Section title="Recent activity">
      <Feed narrow>{rows.map(({ row }) => row)}</Feed>
    </Section>
  )
}

function Deploy({ project, deployment }: LastDeploy) {
  return (
    <FeedRow
      mark={<StatusBadge status={shownStatus(deployment)} />}
      when={<DeployedBy deployment={deployment} createdAt={deployment.at} />}
    >
      <Link
        href={href('/projects/:name/deployments/:deployment', { name: project, deployment: deployment.id })}
      >
        {project}
        <span className="visually-hidden">, deployment {deployment.id}</span>
      </Link>
    </FeedRow>
  )
}

function Failed({ project, build }: FailedBuild) {
  return (
    <FeedRow
      mark={<StatusBadge status="build-failed" />}
      when={
        <>
          Build of {build.branch} failed <TimeAgo at={build.at} />
        </>
      }
    >
      <Link href={href('/projects/:name/git/:build', { name: project, build: build.id })}>
        {project}
        <span className="visually-hidden">, build {build.id}</span>
      </Link>
    </FeedRow>
  )
}

const Change = ({ entry }: { entry: AuditEntry }) => (
  <FeedRow when={<TimeAgo at={entry.at} />}>
    <Sentence entry={entry} of="org" />
  </FeedRow>
)
