// The lines of a log, the newest at the bottom.
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { LogBox } from '../../components/log-box.tsx'
import { formatCount } from '../../format.ts'
import { clockTime, find, isFromPlatform, type Line } from './lines.ts'
import styles from './log-lines.module.css'

interface LogLinesProps {
  lines: readonly Line[]
  wanted: string
  withTimes: boolean
  earlier: (() => Promise<void>) | undefined
}

export function LogLines({ lines, wanted, withTimes, earlier }: LogLinesProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isBusy, setBusy] = useState(false)
  const found = lines.flatMap(line => {
    const pieces = find(line.text, wanted)
    return pieces ? [{ ...line, pieces }] : []
  })

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
      <LogBox box={box} label="Lines">
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
      </LogBox>
      {wanted !== '' && found.length > 0 && (
        <p className={styles.count} role="status">
          {formatCount(found.length, 'line')} of {lines.length.toLocaleString('en-US')}
        </p>
      )}
    </>
  )
}
