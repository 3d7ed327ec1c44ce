// Billing periods: months that are counted from the purchase, in UTC. Also computes the price of the rest of a period.

/** The same day and time `months` later. In a shorter month, its last day. */
export function addMonths(from: number, months: number): number {
  const date = new Date(from)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime()
}

interface Period {
  start: number
  end: number
}

/** Counted from the purchase, so that 31 January, 28 February and 31 March follow each other. */
export const periodAt = (anchor: number, index: number): Period => ({
  start: addMonths(anchor, index),
  end: addMonths(anchor, index + 1),
})

/** The price of the rest of the period, rounded half up to a cent. */
export function prorated(cents: number, now: number, { start, end }: Period): number {
  const left = BigInt(Math.min(Math.max(end - now, 0), end - start))
  const whole = BigInt(end - start)
  return Number((2n * BigInt(cents) * left + whole) / (2n * whole))
}
