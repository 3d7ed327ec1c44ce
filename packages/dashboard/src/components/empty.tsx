// Shown in place of an empty list. Says why it is empty, and how to begin.
import type { ReactNode } from 'react'
import styles from './empty.module.css'

export function Empty({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <div className={styles.empty}>
      {title && <h3>{title}</h3>}
      {children}
    </div>
  )
}
