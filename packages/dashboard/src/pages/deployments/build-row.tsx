// A build among the deployments: one that waits or runs, or that ended without a deployment.
import type { Build } from '@svc/contract'
import { Link } from 'wouter'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatDuration } from '../../format.ts'
import { href } from '../../paths.ts'
import { BuildStatusBadge } from '../builds/build-status.tsx'
import styles from './deployment-table.module.css'
import { GitRef } from './git-ref.tsx'

export function BuildRow({ project, build }: { project: string; build: Build }) {
  const {
    id,
    status,
    branch,
    commit_sha,
    commit_message,
    author,
    created_at,
    started_at,
    finished_at,
    error,
  } = build
  return (
    <tr>
      <td>
        <BuildStatusBadge status={status} />
      </td>
      <td className={styles.build}>
        <Link href={href('/projects/:name/git/:build', { name: project, build: id })}>
          Build: {(commit_message ?? '').split('\n')[0] || id}
        </Link>
        {error && status === 'failed' && <p className={styles.failure}>{error.split('\n')[0]}</p>}
      </td>
      <td className={styles.source}>
        <GitRef of={{ git_branch: branch, git_sha: commit_sha }} />
      </td>
      <td className={styles.when}>
        <TimeAgo at={created_at} />
        {author && <span className={styles.by}>by {author}</span>}
        {started_at && finished_at && (
          <span className={styles.by}>
            in {formatDuration(Date.parse(finished_at) - Date.parse(started_at))}
          </span>
        )}
      </td>
      <td className={styles.contents} />
      <td className={styles.actions} />
    </tr>
  )
}
