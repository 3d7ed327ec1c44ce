// Tabs. Each tab is a link to a page with its own URL.
import { useLocation } from 'wouter'
import { type NavLink, NavLinks } from './nav-links.tsx'
import styles from './tabs.module.css'

interface TabsProps {
  label: string
  tabs: readonly NavLink[]
  /** The label of the open tab. Without it the URL of the page decides. */
  current?: string
}

export function Tabs({ label, tabs, current }: TabsProps) {
  const [location] = useLocation()
  // A page below the URL of a tab belongs to that tab. If several tabs fit, the longest URL wins.
  const byUrl = tabs
    .filter(({ href }) => location === href || location.startsWith(`${href}/`))
    .reduce((longest, { href }) => (href.length > longest.length ? href : longest), '')
  const open = current === undefined ? byUrl : tabs.find(tab => tab.label === current)?.href
  return (
    <NavLinks label={label} links={tabs} open={open} className={styles.tabs} linkClassName={styles.tab} />
  )
}
