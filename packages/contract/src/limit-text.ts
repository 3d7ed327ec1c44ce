// The limits of an owner as people write and read them: in svcd's commands and in the dashboard.
import { formatBytes, parseBytes } from './bytes.ts'
import type { LimitName } from './shapes/owner-limits.ts'

export type NewLimit = number | null | 'default'

const isSize = (name: LimitName): boolean => name.endsWith('_bytes')

const words: Record<string, null | 'default'> = {
  none: null,
  'no limit': null,
  default: 'default',
  '': 'default',
}

/** Reads `5`, `10 GB`, `none` or `default`. Throws an Error that says what is accepted. */
export function readLimit(name: LimitName, text: string): NewLimit {
  const value = text.trim().toLowerCase()
  if (Object.hasOwn(words, value)) return words[value] ?? null
  const amount = isSize(name) ? parseBytes(value) : /^[0-9]{1,15}$/.test(value) ? Number(value) : undefined
  if (amount !== undefined) return amount
  const example = isSize(name) ? 'a size such as 10 GB' : 'a whole number'
  throw new Error(`${name}: give ${example}, 'none' for no limit, or 'default'; not '${text.slice(0, 40)}'.`)
}

export const writeLimit = (name: LimitName, amount: number | null): string =>
  amount === null ? 'no limit' : isSize(name) ? formatBytes(amount) : String(amount)
