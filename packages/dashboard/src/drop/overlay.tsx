import type { ReactNode } from 'react'
import { Icon } from '../components/icon.tsx'
import styles from './overlay.module.css'

/** Covers the page while files are dragged over it or read. */
export function Overlay({ children }: { children: ReactNode }) {
  return (
    <div className={styles.overlay}>
      <p className={styles.words} role="status">
        <Icon name="upload" size={20} />
        {children}
      </p>
    </div>
  )
}
