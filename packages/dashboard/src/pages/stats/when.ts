// Hours and days in words. All of them are UTC's, as they are counted.
const hours = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})
const moments = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})
const days = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const shortDays = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `Sun 14:00` */
export const hourLabel = (iso: string): string => hours.format(new Date(iso)).replace(',', '')

/** `Nov 15, 14:05` */
export const momentLabel = (iso: string): string => moments.format(new Date(iso))

/** `Sun, Nov 15, 2026` */
export const dayLabel = (day: string): string => days.format(new Date(day))

/** A few along the axis, with both ends. */
export const hourTicks = (hours: readonly string[]): string[] => spread(hours).map(hourLabel)
export const dayTicks = (list: readonly string[]): string[] =>
  spread(list).map(day => shortDays.format(new Date(day)))

function spread<T>(list: readonly T[]): T[] {
  const last = list.length - 1
  const count = Math.min(4, list.length)
  return Array.from({ length: count }, (_, i) => list[Math.round((i * last) / (count - 1 || 1))] as T)
}
