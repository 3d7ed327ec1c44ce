// On the overview of a project: the last build, while it runs or when it failed.
import type { Build } from '@svc/contract'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { usePolling } from '../../changes.ts'
import { Notice } from '../../components/notice.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { href } from '../../paths.ts'
import { buildsOf, isUnderWay, readLog } from './builds.ts'
import styles from './last-build.module.css'
import type { BuildLine } from './lines.ts'

const lookEveryMs = 3_000

export function LastBuild({ project, onEnd }: { project: string; onEnd: () => Promise<void> }) {
  const { data, refresh } = buildsOf(project).use()
  const build = data?.rows[0]
  const underWay = build !== undefined && isUnderWay(build)
  usePolling(underWay, refresh, lookEveryMs)
  useEffect(() => {
    if (!underWay) return
    return () => void onEnd()
  }, [underWay, onEnd])
  if (!build || (!underWay && build.status !== 'failed')) return null
  const words = {
    queued: 'is queued',
    building: 'is running',
    failed: 'failed',
    succeeded: '',
    cancelled: '',
  }
  return (
    <Notice tone={build.status === 'failed' ? 'error' : 'info'}>
      <p>
        A build of <strong>{build.branch}</strong> {words[build.status]}, <TimeAgo at={build.created_at} />.{' '}
        <Link href={href('/projects/:name/git/:build', { name: project, build: build.id })}>
          Show its log
        </Link>
      </p>
      {build.status === 'failed' && <Failure key={build.id} project={project} build={build} />}
    </Notice>
  )
}

/** The line of the log that says why, and without one the reason in a sentence. */
function Failure({ project, build }: { project: string; build: Build }) {
  const [line, setLine] = useState<BuildLine>()
  useEffect(() => {
    let left = false
    void whyItFailed(project, build.id).then(found => {
      if (!left) setLine(found)
    })
    return () => {
      left = true
    }
  }, [project, build.id])
  if (!line) return build.error ? <p>{build.error.split('\n')[0]}</p> : null
  const page = href('/projects/:name/git/:build', { name: project, build: build.id })
  return (
    <p className={styles.failing}>
      <Link href={`${page}#L${line.number}`}>Line {line.number}</Link>
      <code>{line.text.trim()}</code>
    </p>
  )
}

/** The code that reads logs is loaded for a failed build alone. */
async function whyItFailed(project: string, id: string): Promise<BuildLine | undefined> {
  try {
    const [{ failingLine }, { text }] = await Promise.all([
      import('./failing-line.ts'),
      readLog(project, id, 0),
    ])
    return failingLine(text)
  } catch {
    // The page says that the build failed, and links to its log.
    return undefined
  }
}
