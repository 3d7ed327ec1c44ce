// The windows side by side, each a link with an address of its own.
import { Link, useLocation } from 'wouter'
import styles from './range-choice.module.css'
import { addressOf, type Range, ranges } from './ranges.ts'

export function RangeChoice({ chosen, among = ranges }: { chosen: Range; among?: readonly Range[] }) {
  const [path] = useLocation()
  return (
    <nav className={styles.ranges} aria-label="Time range">
      {among.map(range => (
        <Link
          key={range.id}
          href={addressOf(path, range)}
          replace
          aria-current={range === chosen ? 'true' : undefined}
        >
          {range.title}
        </Link>
      ))}
    </nav>
  )
}
