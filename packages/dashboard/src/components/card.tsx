// A titled section of a settings page.
import { type ReactNode, useId } from 'react'
import styles from './card.module.css'

interface CardProps {
  title: string
  lead?: ReactNode
  danger?: boolean
  children?: ReactNode
}

export function Card({ title, lead, danger, children }: CardProps) {
  const id = useId()
  return (
    <section className={danger ? `${styles.card} ${styles.danger}` : styles.card} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {lead && <p className={styles.lead}>{lead}</p>}
      </div>
      {children}
    </section>
  )
}

/** Words on the left, what to do on the right; on narrow screens one above the other. */
export function CardAction({ words, children }: { words: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.action}>
      <p>{words}</p>
      {children}
    </div>
  )
}

export function Cards({ children }: { children: ReactNode }) {
  return <div className={styles.cards}>{children}</div>
}
