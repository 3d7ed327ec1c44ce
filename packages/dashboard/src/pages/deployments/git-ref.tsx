import type { Deployment } from '@svc/contract'
import { Icon } from '../../components/icon.tsx'
import { shortSha } from '../../format.ts'
import styles from './git-ref.module.css'

/** The branch and commit a deployment was made from. */
export function GitRef({ of }: { of: Pick<Deployment, 'git_sha' | 'git_branch'> }) {
  if (!of.git_sha && !of.git_branch) return null
  return (
    <span className={styles.ref}>
      <Icon name="branch" size={14} />
      {of.git_branch && <span className={styles.branch}>{of.git_branch}</span>}
      {of.git_sha && (
        <span className={styles.sha} data-tip={of.git_sha}>
          {shortSha(of.git_sha)}
        </span>
      )}
    </span>
  )
}
