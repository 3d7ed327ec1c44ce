// A visitor's GET as the app receives it. The cache goes by nothing else: what the app does not see must not tell
// cached answers apart, and what it sees under another value must not mix them up.
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

  /** Names and values in turn, without the visitor's own conditions and ranges. */
  get headers(): readonly string[] {
    this.#headers ??= withoutConditions(requestHeaders(this.exchange, this.forwarded).headers)
    return this.#headers
  }

  /** Every line with this name, given in lower case; undefined if there is none. */
  field(name: string): string | undefined {
    this.#fields ??= new Map()
    const known = this.#fields.get(name)
    if (known !== undefined || this.#fields.has(name)) return known
    const value = read(this.headers, name)
    this.#fields.set(name, value)
    return value
  }
}

/** Lines stay apart: some apps read only the first of them, others all. */
function read(headers: readonly string[], name: string): string | undefined {
  let value: string | undefined
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i]!.length !== name.length || headers[i]!.toLowerCase() !== name) continue
    const line = withoutSpaces(headers[i + 1]!)
    value = value === undefined ? line : `${value}\n${line}`
  }
  return value
}

/** Clients that write the same list with other spaces share an answer. Inside quotes a space has a meaning. */
function withoutSpaces(list: string): string {
  if (!list.includes(',') || list.includes('"')) return list
  return list
    .split(',')
    .map(member => member.trim())
    .join(',')
}
