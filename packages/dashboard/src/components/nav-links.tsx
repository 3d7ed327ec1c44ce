// Links to pages that belong together. On narrow screens they are a row that scrolls.
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'

export interface NavLink {
  label: string
  href: string
}

interface NavLinksProps {
  label: string
  links: readonly NavLink[]
  /** The URL of the link to the open page. */
  open: string | undefined
  className: string | undefined
  linkClassName: string | undefined
}

export function NavLinks({ label, links, open, className, linkClassName }: NavLinksProps) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    // On narrow screens the link to the open page may be out of sight.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [])
  return (
    <nav ref={nav} className={className} aria-label={label}>
      {links.map(({ href, label }) => (
        <Link
          key={href}
          href={href}
          className={linkClassName}
          aria-current={href === open ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
