// Searches a log: says how many lines have the text, and goes from one to the next.
import { useEffect, useMemo, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import styles from './build-log.module.css'
import type { BuildLine } from './lines.ts'

interface LogSearchProps {
  lines: readonly BuildLine[]
  wanted: string
  onSearch: (wanted: string) => void
  /** With the number of the line to show. */
  onFound: (line: number | undefined) => void
}

export function LogSearch({ lines, wanted, onSearch, onFound }: LogSearchProps) {
  const matches = useMemo(() => matchesOf(lines, wanted), [lines, wanted])
  const [at, setAt] = useState(0)
  const shown = matches[at]
  useEffect(() => onFound(shown), [shown, onFound])
  const step = (by: 1 | -1) => setAt((at + by + matches.length) % Math.max(1, matches.length))
  return (
    <search className={styles.search} aria-label="Search in the log">
      <input
        type="search"
        className={styles.field}
        aria-label="Search in the log"
        placeholder="Search"
        maxLength={200}
        value={wanted}
        onChange={event => {
          onSearch(event.target.value)
          setAt(0)
        }}
        onKeyDown={event => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
        }}
      />
      {wanted !== '' && (
        <>
          <span className={styles.count} role="status">
            {matches.length === 0 ? 'No line' : `${at + 1} of ${matches.length}`}
          </span>
          <IconButton
            size="small"
            icon="chevronUp"
            label="Line before"
            disabled={matches.length < 2}
            onClick={() => step(-1)}
          />
          <IconButton
            size="small"
            icon="chevronDown"
            label="Next line"
            disabled={matches.length < 2}
            onClick={() => step(1)}
          />
        </>
      )}
    </search>
  )
}

function matchesOf(lines: readonly BuildLine[], wanted: string): number[] {
  const what = wanted.toLowerCase()
  if (what === '') return []
  return lines.filter(({ text }) => text.toLowerCase().includes(what)).map(({ number }) => number)
}
