// A box with thousands of rows, of which only those in sight are in the document. Rows may have any height: a row is measured
// when it is drawn. The row at the top of the box keeps its place when rows are added above it.
import { type ReactNode, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react'
import { Button } from './button.tsx'
import styles from './log-box.module.css'
import { moveBetweenRows } from './row-keys.ts'
import { offsetsOf, rowAt } from './row-offsets.ts'

interface LogBoxProps<Row> {
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  children: (row: Row) => ReactNode
  /** Where new rows appear. The box stays at that end until the reader scrolls away from it. */
  newest: 'top' | 'bottom'
  /** Above the first row, and below the last one. */
  head?: ReactNode
  foot?: ReactNode
  /** What decides how high rows are, besides the width. When it changes, all rows are measured again. */
  look?: string
  /** The key of a row to bring into sight. When it changes, the box scrolls there. */
  goTo?: string
  /** Whether the box is only as high as its rows, up to a limit. Otherwise it fills the page. */
  fit?: boolean
}

/** What keeps its place: the newest row, or a row and how far it is scrolled out at the top. */
type Anchor = 'newest' | { key: string; beyond: number }

/** A reader this near to the newest row counts as being there. */
const nearPx = 40
/** Rows are drawn this far beyond the box, so that quick scrolling shows no gaps. */
const aheadPx = 400
/** A row that the box was sent to has this much above it. */
const abovePx = 80
/** A log that is followed for days has rows that are long gone. Their heights are dropped, too. */
const heightsAtMost = 50_000

export function LogBox<Row>({ label, rows, keyOf, children, newest, ...more }: LogBoxProps<Row>) {
  const { head, foot, look = '', fit, goTo = '' } = more
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const heights = useRef(new Map<string, number>())
  const anchor = useRef<Anchor>('newest')
  const [isAtNewest, setAtNewest] = useState(true)
  const [, draw] = useReducer((count: number) => count + 1, 0)

  const keys = rows.map(keyOf)
  const offsets = offsetsOf(keys, heights.current)
  const seen = { from: 0, to: 800 }
  if (box.current && list.current) {
    seen.from = box.current.scrollTop - list.current.offsetTop
    seen.to = seen.from + box.current.clientHeight
  }
  const first = rowAt(offsets, seen.from - aheadPx)
  const last = Math.min(rows.length, rowAt(offsets, seen.to + aheadPx) + 1)

  useEffect(() => {
    const element = box.current
    if (!element) return
    let width = element.clientWidth
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) heights.current.clear()
      width = element.clientWidth
      draw()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const drawnLook = useRef(look)
  if (drawnLook.current !== look) {
    drawnLook.current = look
    heights.current.clear()
  }

  const isShown = keys.includes(goTo)
  const gone = useRef('')
  if (!isShown) gone.current = ''
  else if (gone.current !== goTo) {
    gone.current = goTo
    anchor.current = { key: goTo, beyond: -abovePx }
  }

  useLayoutEffect(() => {
    if (!box.current || !list.current) return
    const isChanged = measure(list.current, keys.slice(first, last), heights.current)
    const tops = isChanged ? offsetsOf(keys, heights.current) : offsets
    const wanted = placeOf(anchor.current, { box: box.current, list: list.current, keys, tops, newest })
    const isMoved = Math.abs(wanted - box.current.scrollTop) > 1
    if (isMoved) box.current.scrollTop = wanted
    if (isChanged || isMoved) draw()
  })

  function noteScroll() {
    if (!box.current || !list.current) return
    const { scrollTop, scrollHeight, clientHeight } = box.current
    const distance = newest === 'top' ? scrollTop : scrollHeight - scrollTop - clientHeight
    const at = scrollTop - list.current.offsetTop
    const row = rowAt(offsets, at)
    const key = keys[row]
    anchor.current =
      distance < nearPx || key === undefined ? 'newest' : { key, beyond: at - (offsets[row] ?? 0) }
    setAtNewest(anchor.current === 'newest')
    draw()
  }

  function jump() {
    anchor.current = 'newest'
    setAtNewest(true)
    draw()
  }

  return (
    <div className={styles.frame}>
      <div
        ref={box}
        className={styles.box}
        data-fit={fit ? '' : undefined}
        role="log"
        aria-live="off"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it, too
        tabIndex={0}
        onScroll={noteScroll}
        onKeyDown={moveBetweenRows}
      >
        {head}
        <div ref={list}>
          <div className={styles.spacer} style={{ height: offsets[first] }} />
          {rows.slice(first, last).map((row, i) => (
            <div key={keys[first + i]} data-row>
              {children(row)}
            </div>
          ))}
          <div className={styles.spacer} style={{ height: (offsets.at(-1) ?? 0) - (offsets[last] ?? 0) }} />
        </div>
        {foot}
      </div>
      {!isAtNewest && (
        <div className={styles.jump} data-at={newest}>
          <Button size="small" onClick={jump}>
            Jump to newest
          </Button>
        </div>
      )}
    </div>
  )
}

/** Notes the heights of the rows that are drawn. Returns whether one of them was not known. */
function measure(list: HTMLElement, keys: readonly string[], heights: Map<string, number>): boolean {
  let isChanged = false
  if (heights.size > heightsAtMost) heights.clear()
  for (const [i, row] of [...list.querySelectorAll(':scope > [data-row]')].entries()) {
    const { height } = row.getBoundingClientRect()
    const key = keys[i]
    if (key === undefined || Math.abs((heights.get(key) ?? -1) - height) < 0.5) continue
    heights.set(key, height)
    isChanged = true
  }
  return isChanged
}

interface Layout {
  box: HTMLElement
  list: HTMLElement
  keys: readonly string[]
  tops: readonly number[]
  newest: 'top' | 'bottom'
}

/** Where the box has to be scrolled to, so that the anchor keeps its place. */
function placeOf(anchor: Anchor, { box, list, keys, tops, newest }: Layout): number {
  const most = box.scrollHeight - box.clientHeight
  if (anchor === 'newest') return newest === 'top' ? 0 : most
  const row = keys.indexOf(anchor.key)
  // The row is gone, for example because a filter hides it.
  if (row === -1) return Math.min(box.scrollTop, most)
  return Math.max(0, Math.min(most, list.offsetTop + tops[row]! + anchor.beyond))
}
