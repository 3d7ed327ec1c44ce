// What a deployment was made from: a commit, an upload of the command line, or files dropped into the dashboard.
import type { Deployment } from '@svc/contract'
import { uploader } from '../../upload/send.ts'
import { GitRef } from './git-ref.tsx'
import styles from './source.module.css'

type Origin = Pick<
  Deployment,
  'git_sha' | 'git_branch' | 'cli_version' | 'commit_message' | 'commit_author' | 'build_id'
>

export function Source({ deployment }: { deployment: Origin }) {
  const { commit_message, commit_author } = deployment
  return (
    <span className={styles.source}>
      <GitRef of={deployment} />
      {commit_message && (
        <span className={styles.message}>
          {commit_message.split('\n')[0]}
          {commit_author && <span className={styles.way}> by {commit_author}</span>}
        </span>
      )}
      <span className={styles.way}>{wayOf(deployment)}</span>
    </span>
  )
}

function wayOf(origin: Origin): string {
  const { cli_version, build_id } = origin
  if (build_id) return 'Built from git'
  return cli_version && cli_version !== uploader ? `svc deploy, version ${cli_version}` : uploadOf(origin)
}

/** How an upload came, in a few words. */
export function uploadOf({ cli_version }: Pick<Deployment, 'cli_version'>): string {
  if (cli_version === uploader) return 'Dropped in the dashboard'
  return cli_version ? 'svc deploy' : 'Uploaded through the API'
}
