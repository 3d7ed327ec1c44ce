// Amounts and dates as invoices write them.

/** `€1,234.50` */
export function euros(cents: number): string {
  const whole = Math.floor(Math.abs(cents) / 100).toLocaleString('en-US')
  const rest = String(Math.abs(cents) % 100).padStart(2, '0')
  return `${cents < 0 ? '−' : ''}€${whole}.${rest}`
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** `16 November 2026`, in UTC. */
export function date(ms: number): string {
  const at = new Date(ms)
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`
}
