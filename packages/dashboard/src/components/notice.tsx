import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import styles from './notice.module.css'

const icons: Record<'info' | 'warning' | 'error' | 'ok', IconName> = {
  info: 'info',
  warning: 'alert',
  error: 'alert',
  ok: 'check',
}

/** A message that stays in the page. Errors are announced as they appear. */
export function Notice({ tone, children }: { tone: keyof typeof icons; children: ReactNode }) {
  return (
    <div className={`${styles.notice} ${styles[tone]}`} role={tone === 'error' ? 'alert' : undefined}>
      <Icon name={icons[tone]} />
      <div className={styles.text}>{children}</div>
    </div>
  )
}

/** The warnings of a deployment or of a drop. Shows nothing if there are none. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <Notice tone="warning">
      {warnings.map(warning => (
        <p key={warning}>{warning}</p>
      ))}
    </Notice>
  )
}
