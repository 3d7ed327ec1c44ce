// A bar chart over time, drawn as SVG. Each bar shows a total and, highlighted, a part of it.
import { useState } from 'react'
import styles from './bar-chart.module.css'
import { axisLabel, fullLabel, roundUp, type Unit } from './scale.ts'

interface Bar {
  /** When, in words. */
  when: string
  whole: number
  part?: number
}

interface BarChartProps {
  title: string
  /** What the bars and their parts are. */
  whole: string
  part?: string
  unit?: Unit
  bars: readonly Bar[]
  /** Under the chart, from left to right. */
  ticks: readonly string[]
}

/** Of a bar's place, so that bars stand apart; where they are very many, they do not. */
const filledBy = (bars: number): number => (bars > 100 ? 1 : 0.78)
const height = 100

export function BarChart({ title, whole, part, unit = 'count', bars, ticks }: BarChartProps) {
  const [looked, setLooked] = useState<number>()
  const top = roundUp(Math.max(...bars.map(bar => bar.whole)), unit)
  const filled = filledBy(bars.length)
  const column = (i: number, value: number) => {
    const tall = (value / top) * height
    return { x: i + (1 - filled) / 2, y: height - tall, width: filled, height: tall }
  }
  const bar = looked === undefined ? undefined : bars[looked]
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.caption}>
        <h3>{title}</h3>
        <Legend whole={whole} part={part} />
        {/* The table below says it to those who do not see it. */}
        <p className={styles.readout} aria-hidden="true">
          {bar && `${bar.when}: ${describe(bar, { whole, part, unit })}`}
        </p>
      </figcaption>
      <div className={styles.plot}>
        <div className={styles.axis} aria-hidden="true">
          <span>{axisLabel(top, unit)}</span>
          <span>{axisLabel(top / 2, unit)}</span>
          <span>0</span>
        </div>
        <svg
          className={styles.bars}
          viewBox={`0 0 ${bars.length} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={title}
          onPointerLeave={() => setLooked(undefined)}
        >
          {bars.map(({ when, whole, part }, i) => (
            <g key={when} className={styles.bar} data-looked={i === looked || undefined}>
              <rect className={part === undefined ? styles.part : styles.whole} {...column(i, whole)} />
              {part !== undefined && <rect className={styles.part} {...column(i, part)} />}
              <rect
                className={styles.place}
                x={i}
                y={0}
                width={1}
                height={height}
                onPointerEnter={() => setLooked(i)}
              />
            </g>
          ))}
        </svg>
        <div className={styles.ticks} aria-hidden="true">
          {ticks.map(tick => (
            <span key={tick}>{tick}</span>
          ))}
        </div>
      </div>
      <Values title={title} whole={whole} part={part} unit={unit} bars={bars} />
    </figure>
  )
}

function describe(bar: Bar, { whole, part, unit }: { whole: string; part?: string | undefined; unit: Unit }) {
  const words = `${fullLabel(bar.whole, unit)} ${whole}`
  return part === undefined || bar.part === undefined
    ? words
    : `${words}, ${fullLabel(bar.part, unit)} ${part}`
}

function Legend({ whole, part }: { whole: string; part: string | undefined }) {
  if (part === undefined) return null
  return (
    <p className={styles.legend} aria-hidden="true">
      <span className={styles.keyPart}>{part}</span>
      <span className={styles.keyWhole}>all {whole}</span>
    </p>
  )
}

type ValuesProps = Pick<BarChartProps, 'title' | 'whole' | 'part' | 'bars'> & { unit: Unit }

function Values({ title, whole, part, unit, bars }: ValuesProps) {
  return (
    <div className="visually-hidden">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">{whole || title}</th>
            {part && <th scope="col">{part}</th>}
          </tr>
        </thead>
        <tbody>
          {bars.map(bar => (
            <tr key={bar.when}>
              <th scope="row">{bar.when}</th>
              <td>{fullLabel(bar.whole, unit)}</td>
              {part && <td>{fullLabel(bar.part ?? 0, unit)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
