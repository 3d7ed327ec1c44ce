// On the overview of a project: the last build, while it runs or when it failed.
import { useEffect } from 'react'
import { Link } from 'wouter'
import { usePolling } from '../../changes.ts'
import { Notice } from '../../components/notice.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { href } from '../../paths.ts'
import { buildsOf, isUnderWay } from './builds.ts'

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
    </Notice>
  )
}
