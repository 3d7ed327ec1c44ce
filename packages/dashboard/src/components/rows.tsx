// The list of the dashboard: rows with columns. On narrow screens the columns of a row stand below each other.
import type { CSSProperties, ReactNode } from 'react'
import { Link } from 'wouter'
import styles from './rows.module.css'

interface RowsProps {
  /** The columns of every row, as in `grid-template-columns`. */
  columns: string
  label?: string
  /** The last column holds what can be done with a row. On narrow screens it stays at the side of the first, or goes below. */
  end?: 'side' | 'below'
  children: ReactNode
}

export function Rows({ columns, label, end, children }: RowsProps) {
  return (
    <ul
      className={styles.rows}
      aria-label={label}
      data-end={end}
      style={{ '--columns': columns } as CSSProperties}
    >
      {children}
    </ul>
  )
}

interface RowProps {
  /** The whole row is a link or a button: one child is a `RowLink`, or has the class `rowOpener`. */
  opens?: boolean
  /** A state that the list gives a look of its own. */
  'data-state'?: string | undefined
  className?: string | undefined
  children: ReactNode
}

export const Row = ({ opens, className, children, ...state }: RowProps) => (
  <li
    className={[styles.row, className].filter(Boolean).join(' ')}
    data-opens={opens ? '' : undefined}
    {...state}
  >
    {children}
  </li>
)

/** The class of the button that a whole row is. */
export const rowOpener = styles.opener

export const RowLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} className={rowOpener}>
    {children}
  </Link>
)
