// What the server app of a project writes, as it comes.
import type { ProjectDetail } from '@svc/contract'
import { useEffect, useMemo, useState } from 'react'
import { codeOf, explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { offerFile } from '../../offer-file.ts'
import { useWork } from '../../use-work.ts'
import { AppLogFeed, type AppLogView } from './app-feed.ts'
import {
  BranchFilter,
  ChoiceFilter,
  DeploymentFilter,
  FilterBar,
  type Filters,
  InstanceFilter,
  RangeFilter,
  rangeIn,
  TextFilter,
  useFilters,
} from './filter-bar.tsx'
import { LogLines } from './log-lines.tsx'
import { Fed, LiveState, NothingMatches, PauseButton } from './log-parts.tsx'
import styles from './logs-page.module.css'

const levels = [
  { value: '', title: 'Every level' },
  { value: 'info', title: 'Info and above' },
  { value: 'warn', title: 'Warnings and errors' },
  { value: 'error', title: 'Errors' },
]

const streams = [
  { value: '', title: 'All output' },
  { value: 'stdout', title: 'stdout' },
  { value: 'stderr', title: 'stderr' },
  { value: 'platform', title: 'Platform' },
]

export function AppLog({ project }: { project: ProjectDetail }) {
  const filters = useFilters()
  const [isPaused, setPaused] = useState(false)
  const [withTimes, setWithTimes] = useState(true)
  const [isWrapped, setWrapped] = useState(true)
  const feed = useFeed(project.name, filters)
  const view = feed.view.use()
  const isStatic = codeOf(view.error) === 'not_a_server'
  useEffect(() => (isPaused || isStatic ? undefined : feed.run()), [feed, isPaused, isStatic])
  const branch = filters.get('branch')
  const servers = project.deployments.filter(
    ({ kind, status, git_branch }) =>
      kind === 'server' && (branch === '' ? status !== 'branch' : git_branch === branch),
  )

  if (isStatic) return <NoServer words={explain(view.error)} />
  return (
    <>
      <div className={styles.header}>
        <State view={view} isPaused={isPaused} />
        <div className={styles.tools}>
          <Button size="small" aria-pressed={isWrapped} onClick={() => setWrapped(!isWrapped)}>
            Wrap lines
          </Button>
          <Button size="small" aria-pressed={withTimes} onClick={() => setWithTimes(!withTimes)}>
            Times
          </Button>
          <PauseButton isPaused={isPaused} setPaused={setPaused} />
          <DownloadButton feed={feed} project={project.name} />
        </div>
      </div>
      <FilterBar label="Filter the log">
        <TextFilter filters={filters} name="search" label="Search in the log" placeholder="Search" />
        <ChoiceFilter filters={filters} name="level" label="Level" options={levels} />
        <ChoiceFilter filters={filters} name="stream" label="Stream" options={streams} />
        <BranchFilter filters={filters} deployments={project.deployments} />
        <DeploymentFilter filters={filters} deployments={servers} />
        <InstanceFilter filters={filters} lines={view.lines} />
        <RangeFilter filters={filters} kept="14 days" />
      </FilterBar>
      <Fed feed={feed} view={view.state && view} error={view.error} label="Loading the log">
        {({ lines, hasEarlier }) =>
          lines.length === 0 ? (
            <Nothing view={view} filters={filters} />
          ) : (
            <LogLines
              project={project.name}
              lines={lines}
              wanted={filters.get('search')}
              withTimes={withTimes}
              isWrapped={isWrapped}
              earlier={hasEarlier ? () => feed.earlier() : undefined}
            />
          )
        }
      </Fed>
    </>
  )
}

/** A new feed for each set of filters. */
function useFeed(project: string, filters: Filters): AppLogFeed {
  const [search, level, stream] = [filters.get('search'), filters.get('level'), filters.get('stream')]
  const [branch, deployment, instance] = [
    filters.get('branch'),
    filters.get('deployment'),
    filters.get('instance'),
  ]
  const { range, from, to } = rangeIn(filters)
  return useMemo(
    () =>
      new AppLogFeed(project, {
        ...{ search, level, stream, branch, deployment, instance },
        time: { range, from, to },
      }),
    [project, search, level, stream, branch, deployment, instance, range, from, to],
  )
}

function DownloadButton({ feed, project }: { feed: AppLogFeed; project: string }) {
  const { busy, run } = useWork()
  async function download() {
    const name = `${project}-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.log.txt`
    offerFile(new Blob([await feed.everything()], { type: 'text/plain' }), name)
  }
  return (
    <Button size="small" icon="download" busy={busy} onClick={() => run(download)}>
      Download
    </Button>
  )
}

const looks = { running: 'on', stopped: 'off', unreachable: 'away' } as const

function State({ view: { state, stoppedAt }, isPaused }: { view: AppLogView; isPaused: boolean }) {
  return (
    <LiveState look={state && looks[state]}>
      {state === undefined && 'Loading…'}
      {state === 'running' && (isPaused ? 'Running, paused here' : 'Running, live')}
      {state === 'unreachable' && 'The runner does not answer. Trying again…'}
      {state === 'stopped' && stoppedAt === null && 'Not started yet; the next request starts it'}
      {state === 'stopped' && stoppedAt !== null && (
        <>
          Asleep, stopped <TimeAgo at={stoppedAt} />; the next request wakes it
        </>
      )}
    </LiveState>
  )
}

function Nothing({ view, filters }: { view: AppLogView; filters: Filters }) {
  if (!filters.isEmpty) return <NothingMatches what="line" filters={filters} />
  return (
    <Empty title={`Nothing was written ${view.state === 'running' ? 'yet' : 'so far'}`}>
      <p>
        What the app writes to stdout and stderr shows up here within seconds, with <code>console.log</code>{' '}
        for example. It is kept over restarts and new deployments.
      </p>
    </Empty>
  )
}

function NoServer({ words }: { words: string }) {
  return (
    <Empty title="No program, no log">
      <p>{words}</p>
      <p>
        Deploy the build of a server, such as Next.js standalone, Nuxt, SvelteKit or Astro with a Node
        adapter, or any program with a <code>Procfile</code>, and what it writes shows up here as it comes.
      </p>
      <Command>{'echo "web: node server.js" > Procfile && svc deploy'}</Command>
    </Empty>
  )
}
