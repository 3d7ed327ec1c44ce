// A section of a page with a heading, and its actions on the right.
import { type ReactNode, useId } from 'react'
import styles from './section.module.css'

interface SectionProps {
  title: string
  lead?: ReactNode
  /** A link to the parent page, above the title. */
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
