// One bar of coloured parts that shows the share of each, with a legend.
import { useId } from 'react'
import { fullLabel, percent } from './scale.ts'
import styles from './share-bar.module.css'

export type Tone = 'green' | 'blue' | 'amber' | 'red' | 'violet' | 'accent' | 'grey'

export interface Share {
  name: string
  value: number
  tone: Tone
}

export function ShareBar({ title, shares }: { title: string; shares: readonly Share[] }) {
  const id = useId()
  const all = shares.reduce((sum, { value }) => sum + value, 0)
  const there = shares.filter(({ value }) => value > 0)
  let from = 0
  return (
    <section className={styles.share} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <svg className={styles.bar} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        {there.map(({ name, value, tone }) => {
          const x = from
          const width = (100 * value) / all
          from += width
          return <rect key={name} x={x} y={0} width={width} height={1} data-tone={tone} />
        })}
      </svg>
      <dl className={styles.legend}>
        {there.map(({ name, value, tone }) => (
          <div key={name}>
            <dt data-tone={tone}>{name}</dt>
            <dd>
              {fullLabel(value, 'count')} <span>{percent(value, all)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
