// A part of a page under a heading of its own, with what can be done about it on the right.
import { type ReactNode, useId } from 'react'
import styles from './section.module.css'

interface SectionProps {
  title: string
  lead?: ReactNode
  /** A link to where this belongs, above the title. */
  above?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}

export function Section({ title, lead, above, actions, children }: SectionProps) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.header}>
        <div className={styles.words}>
          {above}
          <h2 id={id}>{title}</h2>
          {lead && <p>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  )
}
