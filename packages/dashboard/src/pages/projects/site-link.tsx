// Where the site of a project is. It lies above the link to the project that is around it.
import type { ListedProject } from '@svc/contract'
import { bareUrl } from '../../format.ts'
import styles from './site-link.module.css'

export function SiteLink({ project: { primary_url, url } }: { project: ListedProject }) {
  const site = primary_url ?? url
  return (
    <a href={site} target="_blank" rel="noreferrer" className={styles.url}>
      {bareUrl(site)}
    </a>
  )
}
