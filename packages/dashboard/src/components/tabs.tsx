// Tabs. Each tab is a link to a page with its own URL.
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import styles from './tabs.module.css'

export interface Tab {
  label: string
  href: string
}

interface TabsProps {
  label: string
  tabs: readonly Tab[]
  /** The label of the open tab. Without it the URL of the page decides. */
  current?: string
}

export function Tabs({ label, tabs, current }: TabsProps) {
  const [location] = useLocation()
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    // On narrow screens the bar scrolls, and the open tab may be out of sight.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [])
  // A page below a tab's own belongs to it; the longest URL that fits is meant.
  const byUrl = tabs
    .filter(({ href }) => location === href || location.startsWith(`${href}/`))
    .reduce((longest, { href }) => (href.length > longest.length ? href : longest), '')
  const open = current === undefined ? byUrl : tabs.find(tab => tab.label === current)?.href
  return (
    <nav ref={nav} className={styles.tabs} aria-label={label}>
      {tabs.map(tab => (
        <Link
          key={tab.href}
          href={tab.href}
          className={styles.tab}
          aria-current={tab.href === open ? 'page' : undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}
