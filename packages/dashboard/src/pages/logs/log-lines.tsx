// The lines themselves: the newest at the bottom, where the view stays unless the reader has scrolled away.
import { useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { formatCount } from '../../format.ts'
import { clockTime, find, isFromPlatform, type Line } from './lines.ts'
import styles from './log-lines.module.css'

interface LogLinesProps {
  lines: readonly Line[]
  wanted: string
  withTimes: boolean
  earlier: (() => Promise<void>) | undefined
}

/** This near to the bottom counts as there. */
const nearPx = 40

export function LogLines({ lines, wanted, withTimes, earlier }: LogLinesProps) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const [isBusy, setBusy] = useState(false)
  const found = lines.flatMap(line => {
    const pieces = find(line.text, wanted)
    return pieces ? [{ ...line, pieces }] : []
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown depends on all of these
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines, wanted, withTimes])

  function look() {
    const { current } = box
    if (current) isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < nearPx
  }

  async function showEarlier() {
    const { current } = box
    const below = current ? current.scrollHeight - current.scrollTop : 0
    setBusy(true)
    await earlier?.().finally(() => setBusy(false))
    // The reader stays at the line that was on top.
    requestAnimationFrame(() => {
      if (current) current.scrollTop = current.scrollHeight - below
    })
  }

  return (
    <>
      <div
        ref={box}
        className={styles.box}
        role="log"
        aria-live="off"
        aria-label="Lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls with the keyboard
        tabIndex={0}
        onScroll={look}
      >
        {earlier && (
          <div className={styles.earlier}>
            <Button size="small" look="quiet" busy={isBusy} onClick={() => void showEarlier()}>
              Show earlier lines
            </Button>
          </div>
        )}
        {found.map(({ stamp, text, pieces }) => (
          <div key={stamp} className={styles.line} data-from={isFromPlatform(text) ? 'platform' : 'app'}>
            {withTimes && (
              <time dateTime={stamp} title={stamp}>
                {clockTime(stamp)}
              </time>
            )}
            <span>
              {pieces.map((piece, i) =>
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have nothing but their place
                i % 2 === 1 ? <mark key={i}>{piece}</mark> : piece,
              )}
            </span>
          </div>
        ))}
        <div className={styles.end} />
        {found.length === 0 && <p className={styles.nothing}>No line holds “{wanted}”.</p>}
      </div>
      {wanted !== '' && found.length > 0 && (
        <p className={styles.count} role="status">
          {formatCount(found.length, 'line')} of {lines.length.toLocaleString('en-US')}
        </p>
      )}
    </>
  )
}
