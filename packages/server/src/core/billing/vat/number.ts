// VAT numbers: how people write them, and the form that each country's numbers have.
import { vatPrefixes } from '@svc/contract'

export interface VatNumber {
  /** As in the EU's registry: `EL` for Greece, `XI` for Northern Ireland. */
  prefix: string
  /** The number without its prefix. */
  digits: string
}

/** Forms as the European Commission publishes them, by prefix. Only the registry knows whether a number exists. */
// biome-ignore format: a table
const forms: Record<string, RegExp> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^[A-Z0-9]\d{7}[A-Z0-9]$/,
  FI: /^\d{8}$/,
  FR: /^[A-Z0-9]{2}\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^(\d{7}[A-Z]{1,2}|\d[A-Z0-9+*]\d{5}[A-Z])$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^\d{9}B\d{2}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
  XI: /^(\d{9}|\d{12}|GD\d{3}|HA\d{3})$/,
}

const prefixes = new Set(Object.values(vatPrefixes))

/** Removes spaces, dots and dashes, and converts to upper case. `undefined` if nothing is left. */
export const tidyVatNumber = (written: string): string | undefined =>
  written
    .normalize('NFKC')
    .replace(/[\s.,/_\p{Dash}]/gu, '')
    .toUpperCase() || undefined

/** Splits a tidy number. One without a prefix is taken as a number of `country`. */
export function splitVatNumber(tidy: string, country: string | null): VatNumber | undefined {
  // People write GR for Greece. The registry uses EL.
  const start = tidy.startsWith('GR') ? 'EL' : tidy.slice(0, 2)
  if (prefixes.has(start)) return { prefix: start, digits: tidy.slice(2) }
  const prefix = country === null ? undefined : vatPrefixes[country]
  return prefix === undefined ? undefined : { prefix, digits: tidy }
}

export const hasValidForm = ({ prefix, digits }: VatNumber): boolean => forms[prefix]?.test(digits) ?? false

export const writeVatNumber = ({ prefix, digits }: VatNumber): string => `${prefix}${digits}`

/** The countries whose companies have numbers with this prefix. Companies of Monaco have French numbers. */
export const countriesOf = (prefix: string): string[] =>
  Object.keys(vatPrefixes).filter(country => vatPrefixes[country] === prefix)
