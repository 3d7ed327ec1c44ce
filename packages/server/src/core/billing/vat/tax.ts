// The VAT rules of a seller in the Netherlands, and the arithmetic of amounts in whole cents.
import { hasEuVat, type Tax } from '@svc/contract'

export const sellerCountry = 'NL'
const dutchRate = 21

/** Where the buyer is, and the VAT number that the EU's registry knows. */
export interface TaxedBuyer {
  country: string | null
  vat_number: string | null
}

/** A tax, and what it followed from when the payment was made. */
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

/** Rounded half up, once, on the whole sum. */
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

/**
 * The negative amounts of a credit note, after `credited` cents (positive, without VAT) were credited before. The VAT is
 * the difference of two rounded sums, so that credit notes in several parts give back exactly the VAT that was paid.
 */
export function creditAmounts(credited: number, netCents: number, { rate_percent }: Tax): Amounts {
  const vat = vatOf(credited + netCents, rate_percent) - vatOf(credited, rate_percent)
  return { net_cents: -netCents, vat_cents: -vat, total_cents: -netCents - vat }
}
