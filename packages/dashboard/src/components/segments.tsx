// A few views of the same page side by side, each a link with its own URL.
import { type NavLink, NavLinks } from './nav-links.tsx'
import styles from './segments.module.css'

interface SegmentsProps {
  label: string
  links: readonly NavLink[]
  /** The label of the open view. */
  current: string
}

export function Segments({ label, links, current }: SegmentsProps) {
  const open = links.find(link => link.label === current)?.href
  return (
    <NavLinks label={label} links={links} open={open} className={styles.segments} linkClassName={undefined} />
  )
}
