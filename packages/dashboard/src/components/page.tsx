// What every page does when it opens: name the document, and put the focus on its heading.
import { type ReactNode, useEffect, useRef } from 'react'
import styles from './page.module.css'

let firstPage = true

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
}

/** The page's heading. It takes the focus after navigation, so that keyboards and readers start there. */
export function PageTitle({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(title)
  useEffect(() => {
    // The browser places the focus on the first load itself, and a field may have asked for it.
    if (!firstPage && document.activeElement?.tagName !== 'INPUT') heading.current?.focus()
    firstPage = false
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} className={styles.title}>
      {children ?? title}
    </h1>
  )
}

export function PageHeader({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  return (
    <div className={styles.header}>
      <div className={styles.heading}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}
