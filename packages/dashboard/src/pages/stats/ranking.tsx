// A top list: names with a number each, and a bar that shows how they compare.
import { useId } from 'react'
import { Link } from 'wouter'
import styles from './ranking.module.css'
import { fullLabel } from './scale.ts'

interface Ranked {
  name: string
  value: number
  /** In a column of its own. */
  note?: string
  /** Where a press on the row leads. */
  href?: string
  /** Whether the page is filtered by this row. */
  isOn?: boolean
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
        {rows.map(({ name, value, note, href, isOn }) => (
          <li key={name} data-on={isOn || undefined}>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(100 * value) / most} height={1} />
            </svg>
            <Name href={href} isOn={isOn}>
              {name}
            </Name>
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

function Name({ href, isOn, children }: Pick<Ranked, 'href' | 'isOn'> & { children: string }) {
  const shown = { className: styles.name, 'data-tip': children, 'data-tip-cut': '' }
  if (href === undefined) return <span {...shown}>{children}</span>
  return (
    <Link href={href} aria-current={isOn ? 'true' : undefined} {...shown}>
      {children}
    </Link>
  )
}
