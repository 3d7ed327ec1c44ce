// How the billing pages write money and the amounts of a plan.
import type { Billing, Plan } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'

const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })
const whole = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR', maximumFractionDigits: 0 })
const numbers = new Intl.NumberFormat('en')

/** Cents as euros: €20, €19.99. */
export const formatEuros = (cents: number): string => (cents % 100 === 0 ? whole : euros).format(cents / 100)

/** Always with its cents, as in a bill. */
export const formatExactly = (cents: number): string => euros.format(cents / 100)

type Unit = 'count' | 'bytes' | 'cents' | 'minutes'

/** The limits of a plan that the page shows, in this order. */
export const amounts = [
  { key: 'projects', title: 'Projects', unit: 'count' },
  { key: 'domains', title: 'Custom domains', unit: 'count' },
  { key: 'bandwidth_bytes', title: 'Bandwidth', unit: 'bytes', monthly: true },
  { key: 'build_minutes', title: 'Build minutes', unit: 'minutes', monthly: true },
  { key: 'stored_bytes', title: 'Stored deployments', unit: 'bytes' },
  { key: 'ready_apps', title: 'Server apps kept ready', unit: 'count' },
  { key: 'running_apps', title: 'Running apps', unit: 'count' },
  { key: 'ai_credit_cents', title: 'AI credit', unit: 'cents', monthly: true },
  { key: 'orgs', title: 'Organizations', unit: 'count' },
] as const satisfies readonly { key: keyof Plan; title: string; unit: Unit; monthly?: true }[]

export type Amount = (typeof amounts)[number]

export function formatAmount(value: number | null, unit: Unit): string {
  if (value === null) return 'Unlimited'
  if (unit === 'bytes') return formatBytes(value)
  return unit === 'cents' ? formatEuros(value) : numbers.format(value)
}

/** How much is used of an amount. No more apps are kept ready than the plan allows; the others work all the same. */
export function usedOf({ usage, plan }: Pick<Billing, 'usage' | 'plan'>, key: Amount['key']): number {
  return key === 'ready_apps' ? Math.min(usage[key], plan[key] ?? usage[key]) : usage[key]
}
