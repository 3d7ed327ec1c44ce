// Links to the pages of one part of the dashboard: a list at the side, on narrow screens a row that scrolls.
import { type NavLink, NavLinks } from './nav-links.tsx'
import styles from './side-list.module.css'

interface SideListProps {
  label: string
  links: readonly NavLink[]
  /** The label of the open page. */
  current: string
}

export function SideList({ label, links, current }: SideListProps) {
  const open = links.find(link => link.label === current)?.href
  return (
    <NavLinks label={label} links={links} open={open} className={styles.list} linkClassName={styles.link} />
  )
}
