// The time ranges of a page side by side, each a link with its own URL.
import { Link, useLocation, useSearch } from 'wouter'
import styles from '../../components/segments.module.css'
import { addressOf, type Range, ranges } from './ranges.ts'

interface RangeChoiceProps {
  chosen: Range
  /** The range of the page without a query. */
  usual: Range
  among?: readonly Range[]
}

export function RangeChoice({ chosen, usual, among = ranges }: RangeChoiceProps) {
  const [path] = useLocation()
  const search = useSearch()
  return (
    <nav className={styles.segments} aria-label="Time range">
      {among.map(range => (
        <Link
          key={range.id}
          href={addressOf(path, search, range, usual)}
          replace
          aria-current={range === chosen ? 'true' : undefined}
        >
          {range.title}
        </Link>
      ))}
    </nav>
  )
}
