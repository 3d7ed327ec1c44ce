// A bar chart over time, drawn as SVG. Each bar shows a total and, highlighted, a part of it. A tooltip shows the values of the
// bar under the pointer, or of the one that the arrow keys have reached.
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import styles from './bar-chart.module.css'
import { axisLabel, fullLabel, roundUp, type Unit } from './scale.ts'

interface Bar {
  /** When, in words. */
  when: string
  /** Null where there is no value. */
  whole: number | null
  part?: number
}

interface BarChartProps {
  title: string
  /** What the bars and their parts are. */
  whole: string
  part?: string
  unit?: Unit
  tone?: 'accent' | 'red'
  bars: readonly Bar[]
  /** Under the chart, from left to right. */
  ticks: readonly string[]
}

/** How much of its place a bar fills, so that bars stand apart. Very many bars do not. */
const filledBy = (bars: number): number => (bars > 100 ? 1 : 0.78)
const height = 100

/** The bar that is looked at. `y` is the height of the pointer in pixels, or 0 for the keyboard. */
interface Looked {
  index: number
  y: number
  byKeyboard?: boolean
}

export function BarChart({
  title,
  whole,
  part,
  unit = 'count',
  tone = 'accent',
  bars,
  ticks,
}: BarChartProps) {
  const [looked, setLooked] = useState<Looked>()
  const top = roundUp(Math.max(...bars.map(bar => bar.whole ?? 0)), unit)
  const filled = filledBy(bars.length)
  const column = (i: number, value: number | null) => {
    const tall = ((value ?? 0) / top) * height
    return { x: i + (1 - filled) / 2, y: height - tall, width: filled, height: tall }
  }
  const bar = looked && bars[looked.index]

  function look({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) {
    const { left, top, width } = currentTarget.getBoundingClientRect()
    const index = Math.floor(((clientX - left) / width) * bars.length)
    setLooked({ index: Math.max(0, Math.min(bars.length - 1, index)), y: clientY - top })
  }

  function move(event: KeyboardEvent) {
    const last = bars.length - 1
    const at = looked?.index ?? last + 1
    const places: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }
    const index = places[event.key]
    if (event.key === 'Escape') setLooked(undefined)
    if (index === undefined) return
    event.preventDefault()
    setLooked({ index: Math.max(0, Math.min(last, index)), y: 0, byKeyboard: true })
  }

  return (
    <figure className={styles.chart} data-tone={tone}>
      <figcaption className={styles.caption}>
        <h3>{title}</h3>
        <Legend whole={whole} part={part} />
      </figcaption>
      <div className={styles.plot}>
        <div className={styles.axis} aria-hidden="true">
          <span>{axisLabel(top, unit)}</span>
          <span>{unit === 'count' && top < 2 ? '' : axisLabel(top / 2, unit)}</span>
          <span>0</span>
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
        <div
          className={styles.field}
          role="group"
          aria-label={`${title}. The arrow keys read the values.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move along the bars
          tabIndex={0}
          onKeyDown={move}
          onBlur={() => setLooked(undefined)}
          onPointerMove={look}
          onPointerDown={look}
          onPointerLeave={() => setLooked(undefined)}
        >
          <svg
            className={styles.bars}
            viewBox={`0 0 ${bars.length} ${height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={title}
          >
            {looked && <rect className={styles.looked} x={looked.index} y={0} width={1} height={height} />}
            {bars.map(({ when, whole, part }, i) => (
              <g key={when}>
                <rect className={part === undefined ? styles.part : styles.whole} {...column(i, whole)} />
                {part !== undefined && <rect className={styles.part} {...column(i, part)} />}
              </g>
            ))}
          </svg>
          {looked && bar && (
            <Tooltip bar={bar} words={{ whole, part }} unit={unit} looked={looked} of={bars.length} />
          )}
        </div>
        <div className={styles.ticks} aria-hidden="true">
          {ticks.map(tick => (
            <span key={tick}>{tick}</span>
          ))}
        </div>
      </div>
      <p className="visually-hidden" role="status">
        {looked?.byKeyboard && bar && inWords(bar, { whole, part }, unit)}
      </p>
      <Values title={title} whole={whole} part={part} unit={unit} bars={bars} />
    </figure>
  )
}

interface Words {
  whole: string
  part: string | undefined
}

const valueLabel = (value: number | null, unit: Unit): string =>
  value === null ? 'none' : fullLabel(value, unit)

/** Each value with what it counts. */
function valuesOf(bar: Bar, { whole, part }: Words, unit: Unit): { words: string; value: string }[] {
  const values = [{ words: whole, value: valueLabel(bar.whole, unit) }]
  if (part !== undefined && bar.part !== undefined)
    values.push({ words: part, value: fullLabel(bar.part, unit) })
  return values
}

const inWords = (bar: Bar, words: Words, unit: Unit): string =>
  [bar.when, ...valuesOf(bar, words, unit).map(({ words, value }) => `${words} ${value}`)].join(', ')

interface TooltipProps {
  bar: Bar
  words: Words
  unit: Unit
  looked: Looked
  of: number
}

/** Beside the bar, on the side with more room. The status below the chart says it to those who do not see it. */
function Tooltip({ bar, words, unit, looked: { index, y }, of }: TooltipProps) {
  return (
    <div
      className={styles.tooltip}
      data-side={index < of / 2 ? 'right' : 'left'}
      style={{ left: `${(100 * (index + 0.5)) / of}%`, top: y }}
      aria-hidden="true"
    >
      <strong>{bar.when}</strong>
      {valuesOf(bar, words, unit).map(({ words, value }) => (
        <span key={words}>
          {words} <b>{value}</b>
        </span>
      ))}
    </div>
  )
}

function Legend({ whole, part }: { whole: string; part: string | undefined }) {
  if (part === undefined) return null
  return (
    <p className={styles.legend} aria-hidden="true">
      <span className={styles.keyPart}>{part}</span>
      <span>all {whole}</span>
    </p>
  )
}

type ValuesProps = Pick<BarChartProps, 'title' | 'whole' | 'part' | 'bars'> & { unit: Unit }

/** The values as a table, for screen readers. */
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
              <td>{valueLabel(bar.whole, unit)}</td>
              {part && <td>{fullLabel(bar.part ?? 0, unit)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
