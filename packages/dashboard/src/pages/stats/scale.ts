// Scales of charts that end on a round number, and the words on them.
import { formatBytes } from '@svc/contract/bytes'
import { formatMicroCents } from '../../format.ts'

/** Money is in micro-cents, which are millionths of a cent. A percent is one of a core. */
export type Unit = 'count' | 'bytes' | 'money' | 'ms' | 'percent'

/** The smallest of 1, 2, 4, 6, 8, 10, 20, … (of bytes, in their unit) that is not below. */
export function roundUp(value: number, unit: Unit): number {
  if (value <= 0) return 1
  const base = unit === 'bytes' ? 1024 ** Math.floor(Math.log(value) / Math.log(1024)) : 1
  const power = 10 ** Math.floor(Math.log10(value / base))
  const step = [1, 2, 4, 6, 8, 10].find(step => step * power * base >= value) ?? 10
  return step * power * base
}

const labels: Record<Unit, (value: number, numbers: Intl.NumberFormat) => string> = {
  count: (value, numbers) => numbers.format(value),
  bytes: formatBytes,
  money: formatMicroCents,
  ms: (value, numbers) => `${numbers.format(value)} ms`,
  percent: (value, numbers) => `${numbers.format(value)}%`,
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en')

/** Short, for axes: 1.2K, 12 MB. */
export const axisLabel = (value: number, unit: Unit): string => labels[unit](value, compact)

/** Writes the value in full. */
export const fullLabel = (value: number, unit: Unit): string => labels[unit](value, whole)

/** 7 of 9 is 78%; a little is not nothing, and nearly all is not all. */
export function percent(part: number, of: number): string {
  if (of === 0) return '0%'
  const share = (100 * part) / of
  if (share > 0 && share < 1) return '<1%'
  if (share > 99 && share < 100) return '>99%'
  return `${Math.round(share)}%`
}
