// A header field, with its meaning to the lane. The meaning is determined when the field is made, and not again for
// each request that refers to a table entry.

import { connectionFields } from '../../../../lib/hop-by-hop.ts'
import { pictureField } from '../../../../lib/platform-fields.ts'

export interface Field {
  readonly name: string
  readonly value: string
  /** The size in bytes, as the dynamic table counts it (RFC 7541, 4.1). */
  readonly size: number
  readonly meaning: Meaning
  /** Whether the sender asks that no table stores the field (RFC 7541, 6.2.3). */
  readonly isSensitive: boolean
}

/**
 * What a field means to the lane:
 * - a known name: the lane needs the value
 * - `none`: the answer does not depend on the field
 * - `beyond`: node:http2 has to answer the request, or to refuse it
 */
export type Meaning = KnownName | 'none' | 'beyond'

type KnownName =
  | ':method'
  | ':scheme'
  | ':path'
  | ':authority'
  | 'host'
  | 'accept-encoding'
  | 'if-none-match'
  | 'if-modified-since'
  | 'te'
  | 'content-length'

const meanings = new Map<string, Meaning>([
  ...(
    [
      ':method',
      ':scheme',
      ':path',
      ':authority',
      'host',
      'accept-encoding',
      'if-none-match',
      'if-modified-since',
      'te',
      'content-length',
    ] as const
  ).map(name => [name, name] as const),
  ...(
    [
      'range',
      'if-range',
      'if-match',
      'if-unmodified-since',
      'expect',
      'trailer',
      pictureField,
      ...connectionFields,
    ] as const
  ).map(name => [name, 'beyond'] as const),
])

/** A token in lower case (RFC 9113, 8.2.1). */
const nameForm = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const valueForm = /^[\t -~\x80-\xff]*$/
const entryOverhead = 32

export function makeField(name: string, value: string, isSensitive = false): Field {
  const size = name.length + value.length + entryOverhead
  return { name, value, size, meaning: meaningOf(name, value), isSensitive }
}

function meaningOf(name: string, value: string): Meaning {
  if (!isValidValue(value)) return 'beyond'
  const known = meanings.get(name)
  if (known !== undefined) return known
  return nameForm.test(name) ? 'none' : 'beyond'
}

/** Whether the value has only valid characters, and no white space at either end (RFC 9113, 8.2.1). */
function isValidValue(value: string): boolean {
  return (
    valueForm.test(value) && !isBlank(value.charCodeAt(0)) && !isBlank(value.charCodeAt(value.length - 1))
  )
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09
