// The VAT rules of a seller in the Netherlands, and the arithmetic of amounts in whole cents.
import { hasEuVat, type Tax } from '@svc/contract'

const sellerCountry = 'NL'
const dutchRate = 21

/** The buyer's country, and the VAT number that the EU's registry has confirmed. */
interface TaxedBuyer {
  country: string | null
  vat_number: string | null
}

/** The tax of a payment, with the buyer's details at that time. */
export type ChargedTax = Tax & TaxedBuyer

/**
 * A buyer in the EU without a VAT number, or whose country is not known, pays Dutch VAT: the seller is below the EU's
 * threshold of EUR 10,000 a year for sales to consumers in other member states.
 */
export function taxFor({ country, vat_number }: TaxedBuyer): Tax {
  if (country === null) return { kind: 'domestic', rate_percent: dutchRate }
  if (!hasEuVat(country)) return { kind: 'outside_eu', rate_percent: 0 }
  if (country !== sellerCountry && vat_number !== null) return { kind: 'reverse_charge', rate_percent: 0 }
  return { kind: 'domestic', rate_percent: dutchRate }
}

/** The VAT of a whole sum, rounded half up once. */
export const vatOf = (netCents: number, ratePercent: number): number =>
  Math.floor((netCents * ratePercent + 50) / 100)

export interface Amounts {
  net_cents: number
  vat_cents: number
  total_cents: number
}

export function amountsOf(netCents: number, { rate_percent }: Pick<Tax, 'rate_percent'>): Amounts {
  const vat_cents = vatOf(netCents, rate_percent)
  return { net_cents: netCents, vat_cents, total_cents: netCents + vat_cents }
}

/** The refunded amount, either without VAT or with VAT. */
export type CreditPart = { net_cents: number } | { total_cents: number }

/**
 * Returns the amounts of a credit note for a part of a payment. `credited` is the sum of earlier credit notes. All amounts
 * are positive. The VAT is computed for all credit notes together, so that rounding never refunds more or less than was paid.
 */
export function creditAmounts(paid: Amounts, credited: Amounts, part: CreditPart): Amounts {
  const key = 'net_cents' in part ? 'net_cents' : 'total_cents'
  const cents = 'net_cents' in part ? part.net_cents : part.total_cents
  const vatOfAll = share(paid.vat_cents, credited[key] + cents, paid[key])
  const vat_cents = Math.max(0, vatOfAll - credited.vat_cents)
  return key === 'net_cents'
    ? { net_cents: cents, vat_cents, total_cents: cents + vat_cents }
    : { net_cents: cents - vat_cents, vat_cents, total_cents: cents }
}

/** `part / whole` of the cents, rounded half up. Uses BigInt, because the product may exceed the safe integers. */
function share(cents: number, part: number, whole: number): number {
  if (whole === 0) return 0
  const twice = 2n * BigInt(whole)
  return Number((2n * BigInt(cents) * BigInt(part) + BigInt(whole)) / twice)
}
