// A list that may be long: with a search if it has more rows than one sees at once, and not all of them at first.
import { type ReactNode, useState } from 'react'
import { formatCount } from '../format.ts'
import { Button } from './button.tsx'
import { Empty } from './empty.tsx'
import styles from './long-list.module.css'
import { SearchField } from './search-field.tsx'

const withoutSearch = 12
const atFirst = 50

interface LongListProps<T> {
  rows: readonly T[]
  /** What a row is, such as `domain`. */
  noun: string
  /** The text of a row in which the search looks. */
  textOf: (row: T) => string
  children: (shown: readonly T[]) => ReactNode
}

export function LongList<T>({ rows, noun, textOf, children }: LongListProps<T>) {
  const [typed, setTyped] = useState('')
  const [isWhole, setWhole] = useState(false)
  if (rows.length <= withoutSearch) return children(rows)
  const wanted = typed.trim().toLowerCase()
  const found = rows.filter(row => textOf(row).toLowerCase().includes(wanted))
  const shown = isWhole ? found : found.slice(0, atFirst)
  return (
    <div className={styles.list}>
      <SearchField label={`Search ${formatCount(rows.length, noun)}`} value={typed} onChange={setTyped} />
      {found.length === 0 ? (
        <Empty title={`No ${noun} matches`}>
          <p>
            No {noun} has “{typed.trim()}” in it.
          </p>
        </Empty>
      ) : (
        children(shown)
      )}
      {shown.length < found.length && (
        <Button onClick={() => setWhole(true)}>Show all {found.length.toLocaleString('en')}</Button>
      )}
    </div>
  )
}
