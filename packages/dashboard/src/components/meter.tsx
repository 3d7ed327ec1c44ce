// How much of what is allowed is used: words, and a bar that turns amber when it is nearly full.
import type { ReactNode } from 'react'
import styles from './meter.module.css'

interface MeterProps {
  title: string
  used: number
  /** Without a limit, the bar stays empty. */
  allowed: number | null
  format: (amount: number) => string
  /** A full one is no reason to worry. */
  isCalm?: boolean
  note?: ReactNode
}

/** What is used of nothing is full. */
const shareOf = (used: number, allowed: number): number => (allowed === 0 ? Number(used > 0) : used / allowed)

const levelOf = (share: number): 'full' | 'high' | undefined => {
  if (share >= 1) return 'full'
  return share >= 0.8 ? 'high' : undefined
}

export function Meter({ title, used, allowed, format, isCalm = false, note }: MeterProps) {
  const share = allowed === null ? 0 : shareOf(used, allowed)
  return (
    <div className={styles.meter}>
      <p className={styles.words}>
        <span>{title}</span>
        <span className={styles.numbers}>
          <strong>{format(used)}</strong> {allowed === null ? '' : `of ${format(allowed)}`}
        </span>
      </p>
      <svg
        className={styles.bar}
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        aria-hidden="true"
        data-level={isCalm ? undefined : levelOf(share)}
      >
        <rect x={0} y={0} width={Math.min(100, share * 100)} height={1} />
      </svg>
      {note && <p className={styles.note}>{note}</p>}
    </div>
  )
}
