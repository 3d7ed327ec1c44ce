// The id of a deployment. It leads to the page of the deployment everywhere; the arrow beside it opens the permanent URL.
import type { Deployment } from '@svc/contract'
import { Link } from 'wouter'
import { Icon } from '../../components/icon.tsx'
import { href } from '../../paths.ts'
import styles from './deployment-links.module.css'

interface DeploymentLinksProps {
  project: string
  deployment: Pick<Deployment, 'id' | 'status' | 'url'>
}

export function DeploymentLinks({ project, deployment: { id, status, url } }: DeploymentLinksProps) {
  return (
    <span className={styles.links}>
      <Link href={href('/projects/:name/deployments/:deployment', { name: project, deployment: id })}>
        {id}
      </Link>
      {status !== 'failed' && status !== 'uploading' && (
        <a className={styles.open} href={url} target="_blank" rel="noreferrer" title="Open its permanent URL">
          <Icon name="arrowUpRight" size={13} />
          <span className="visually-hidden">Open {id}</span>
        </a>
      )}
    </span>
  )
}
