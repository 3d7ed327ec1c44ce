// What the server app of a project writes, as it comes.
import { useEffect, useState } from 'react'
import { codeOf, explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Notice } from '../../components/notice.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { LoadFailure } from '../../components/trouble.tsx'
import { LogFeed, type LogView } from './feed.ts'
import { LogLines } from './log-lines.tsx'
import styles from './logs-page.module.css'

export function AppLog({ project }: { project: string }) {
  const [feed] = useState(() => new LogFeed(project))
  const [isPaused, setPaused] = useState(false)
  const [withTimes, setWithTimes] = useState(true)
  const [wanted, setWanted] = useState('')
  const view = feed.view.use()
  const isStatic = codeOf(view.error) === 'not_a_server'
  useEffect(() => (isPaused || isStatic ? undefined : feed.run()), [feed, isPaused, isStatic])

  if (isStatic) return <NoServer words={explain(view.error)} />
  if (view.state === undefined && view.error !== undefined)
    return <LoadFailure error={view.error} retry={() => void feed.look()} busy={false} />
  if (view.state === undefined) return <SkeletonRows count={6} label="Loading the log" />
  return (
    <>
      <div className={styles.header}>
        <State view={view} isPaused={isPaused} />
        <div className={styles.tools}>
          <input
            type="search"
            className={styles.search}
            aria-label="Search in the log"
            placeholder="Search"
            value={wanted}
            onChange={event => setWanted(event.target.value)}
          />
          <Button size="small" aria-pressed={withTimes} onClick={() => setWithTimes(!withTimes)}>
            {withTimes ? 'Hide times' : 'Show times'}
          </Button>
          <Button size="small" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
        </div>
      </div>
      {view.error !== undefined && <Notice tone="warning">{explain(view.error)} Trying again.</Notice>}
      {view.lines.length === 0 ? (
        <Nothing view={view} />
      ) : (
        <LogLines
          lines={view.lines}
          wanted={wanted}
          withTimes={withTimes}
          earlier={view.hasEarlier ? () => feed.earlier() : undefined}
        />
      )}
    </>
  )
}

const looks = { running: 'on', stopped: 'off', unreachable: 'away' } as const

function State({
  view: { state = 'unreachable', stoppedAt },
  isPaused,
}: {
  view: LogView
  isPaused: boolean
}) {
  return (
    <p className={styles.state} data-state={looks[state]} role="status">
      <span className={styles.lamp} aria-hidden="true" />
      {state === 'running' && (isPaused ? 'Running, paused here' : 'Running, live')}
      {state === 'unreachable' && 'The runner does not answer; trying again'}
      {state === 'stopped' && stoppedAt === null && 'Not started yet; the next request starts it'}
      {state === 'stopped' && stoppedAt !== null && (
        <>
          Asleep, stopped <TimeAgo at={stoppedAt} />; the next request wakes it
        </>
      )}
    </p>
  )
}

function Nothing({ view }: { view: LogView }) {
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
