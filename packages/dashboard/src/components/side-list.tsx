// Links to the pages of one part of the dashboard: a list at the side, on narrow screens a row that scrolls.
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import styles from './side-list.module.css'
import type { Tab } from './tabs.tsx'

interface SideListProps {
  label: string
  links: readonly Tab[]
  /** The label of the open page. */
  current: string
}

export function SideList({ label, links, current }: SideListProps) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    // On narrow screens the open page may be out of sight.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [])
  return (
    <nav ref={nav} className={styles.list} aria-label={label}>
      {links.map(link => (
        <Link
          key={link.href}
          href={link.href}
          className={styles.link}
          aria-current={link.label === current ? 'page' : undefined}
        >
          {link.label}
        </Link>
      ))}
    </nav>
  )
}
