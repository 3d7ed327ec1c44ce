// Hours, days and months of the calendar, all in UTC.
import { dayMs, hourMs } from '@svc/contract/durations'

export const hourOf = (ms: number): number => ms - (ms % hourMs)
export const dayOf = (ms: number): number => ms - (ms % dayMs)

/** `2026-11-15` */
export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Returns the start of the day. `undefined` if the text is not a date of the calendar. */
export function readDate(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const ms = Date.parse(`${text}T00:00:00.000Z`)
  return !Number.isNaN(ms) && dateOf(ms) === text ? ms : undefined
}

/** The calendar month (UTC). Monthly allowances begin anew with it. */
export function monthOf(now: number): { start: number; end: number; name: string } {
  const date = new Date(now)
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  return { start, end, name: date.toISOString().slice(0, 7) }
}
