import { Link } from 'wouter'
import styles from './back-link.module.css'
import { Icon } from './icon.tsx'

/** A link to the list that the page belongs to. It stands above the title. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className={styles.back}>
      <Icon name="arrowLeft" size={14} />
      {children}
    </Link>
  )
}
