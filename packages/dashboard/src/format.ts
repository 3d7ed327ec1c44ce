// How the dashboard writes counts, money and times.
const numbers = new Intl.NumberFormat('en')

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${numbers.format(count)} ${count === 1 ? one : many}`
}

const microCentsPerEuro = 100_000_000
const money = (digits: number) =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'EUR',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  })
const [cents, partsOfCents] = [money(2), money(6)]

/** Millionths of a cent as euros: €1.25; below ten cents with the parts of a cent, since single requests cost no more. */
export function formatMicroCents(amount: number): string {
  const euros = amount / microCentsPerEuro
  return (euros >= 0.1 ? cents : partsOfCents).format(euros)
}

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en', { style: 'long', numeric: 'always' })

/** The time that has passed: "just now", "5 minutes ago", "3 days ago". */
export function formatAgo(iso: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000)
  const step = steps.find(([, length]) => seconds >= length)
  return step ? relative.format(-Math.floor(seconds / step[1]), step[0]) : 'just now'
}

/** The time still to come: "in 5 minutes"; "in a moment" below a minute, or where it is over. */
export function formatIn(iso: string, now: number): string {
  const seconds = Math.max(0, (Date.parse(iso) - now) / 1000)
  const step = steps.find(([, length]) => seconds >= length)
  return step ? relative.format(Math.round(seconds / step[1]), step[0]) : 'in a moment'
}

/** "840 ms", "12.4 s", "3 min 20 s". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'medium' })

/** The moment in the reader's own time zone, with its UTC form. */
export const formatMoment = (iso: string) =>
  `${absolute.format(new Date(iso))} (${iso.slice(0, 16).replace('T', ' ')} UTC)`

const utc = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** "Mon, 16 Nov 2026, 09:00 UTC" */
export const formatUtc = (iso: string) => `${utc.format(new Date(iso))} UTC`

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })

/** The day in the reader's own time zone: "Nov 4, 2026". */
export const formatDay = (iso: string) => day.format(new Date(iso))

/** A commit the way git shortens it. */
export const shortSha = (sha: string) => sha.slice(0, 7)

/** A URL without its scheme, as people write it. */
export const bareUrl = (url: string) => url.replace(/^https?:\/\//, '').replace(/\/$/, '')
