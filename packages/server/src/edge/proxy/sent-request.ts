// A request as the app receives it. The cache compares these header fields for its keys and for `Vary`. A field that
// the app does not see must not separate entries, and a field that the app sees must not be ignored.
import { valuesIn } from '../../lib/raw-headers.ts'
import type { Exchange } from '../exchange.ts'
import { type Forwarded, forwardedOf } from './forwarded.ts'
import { requestHeaders, withoutConditions } from './request-headers.ts'

export class SentRequest {
  readonly exchange: Exchange
  readonly forwarded: Forwarded
  #headers: readonly string[] | undefined
  #fields: Map<string, string | undefined> | undefined

  constructor(exchange: Exchange, isTrusted: (address: string) => boolean) {
    this.exchange = exchange
    this.forwarded = forwardedOf(exchange, isTrusted)
  }

  /** Names and values in turn, without the client's conditions and range. */
  get headers(): readonly string[] {
    this.#headers ??= withoutConditions(requestHeaders(this.exchange, this.forwarded).headers)
    return this.#headers
  }

  /**
   * Returns the values of all fields with this name, one per line. `undefined` if there is none. `name` is in lower
   * case.
   */
  field(name: string): string | undefined {
    this.#fields ??= new Map()
    const known = this.#fields.get(name)
    if (known !== undefined || this.#fields.has(name)) return known
    const value = read(this.headers, name)
    this.#fields.set(name, value)
    return value
  }
}

/**
 * Returns the values of all fields with this name, joined with line breaks. With commas, two fields would equal one
 * list, but some apps read only the first field.
 */
function read(headers: readonly string[], name: string): string | undefined {
  const lines = valuesIn(headers, name)
  return lines.length === 0 ? undefined : lines.map(withoutSpaces).join('\n')
}

/**
 * Removes spaces around list members, so that equal lists share an entry. A list with quotes is not changed, because
 * spaces inside quotes matter.
 */
function withoutSpaces(list: string): string {
  if (!list.includes(',') || list.includes('"')) return list
  return list
    .split(',')
    .map(member => member.trim())
    .join(',')
}
