// A top list: names with a number each, and a bar that shows how they compare.
import { useId } from 'react'
import styles from './ranking.module.css'
import { fullLabel } from './scale.ts'

interface Ranked {
  name: string
  value: number
  /** In a column of its own. */
  note?: string
}

interface RankingProps {
  title: string
  /** What is counted. */
  unit: string
  rows: readonly Ranked[]
  /** Where there are none. */
  none: string
}

export function Ranking({ title, unit, rows, none }: RankingProps) {
  const id = useId()
  const most = Math.max(...rows.map(({ value }) => value))
  return (
    <section className={styles.ranking} aria-labelledby={id}>
      <header>
        <h3 id={id}>{title}</h3>
        {rows.length > 0 && <span aria-hidden="true">{unit}</span>}
      </header>
      {rows.length === 0 && <p className={styles.none}>{none}</p>}
      <ol className={styles.rows}>
        {rows.map(({ name, value, note }) => (
          <li key={name}>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(100 * value) / most} height={1} />
            </svg>
            <span className={styles.name} title={name}>
              {name}
            </span>
            {note && <span className={styles.note}>{note}</span>}
            <span className={styles.value}>
              {fullLabel(value, 'count')}
              <span className="visually-hidden"> {unit}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
