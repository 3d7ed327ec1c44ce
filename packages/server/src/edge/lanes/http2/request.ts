// Reads requests that the lane can answer: with no fields that matter besides the host, encodings and conditions. Every other
// request is left to node:http2.
import type { Head } from '../http1/head.ts'
import type { HotRequest } from '../sources.ts'
import type { Field, Meaning } from './hpack/field.ts'

export class LaneRequest implements HotRequest {
  readonly method: string
  readonly target: string
  readonly host: string
  readonly acceptEncoding: string | undefined
  readonly conditions: { 'if-none-match'?: string | undefined; 'if-modified-since'?: string | undefined }
  readonly #fields: readonly Field[]

  constructor(method: string, target: string, host: string, got: Values, fields: readonly Field[]) {
    this.method = method
    this.target = target
    this.host = host
    this.acceptEncoding = got['accept-encoding']
    this.conditions = got
    this.#fields = fields
  }

  /** The header fields as HTTP/1.1 writes them, without pseudo fields. */
  get fields(): string {
    let text = `host: ${this.host}\r\n`
    for (const { name, value } of this.#fields)
      if (name.charCodeAt(0) !== colon) text += `${name}: ${value}\r\n`
    return text
  }

  /** Whether it asks for a file, or for a page of an app. */
  get isReading(): boolean {
    return this.method === 'GET' || this.method === 'HEAD'
  }

  /** The request as the lane to apps takes it. */
  headForApp(bodyBytes: number): Head {
    const { method, target, host, acceptEncoding, conditions } = this
    return {
      ...{ method, target, host, acceptEncoding },
      ifNoneMatch: conditions['if-none-match'],
      ifModifiedSince: conditions['if-modified-since'],
      fields: this.#fieldsForApp(),
      loggedFields: undefined,
      appFields: undefined,
      isPlain: this.isReading,
      isPassable: true,
      length: 0,
      bodyBytes,
    }
  }

  /** An HTTP/2 client may send cookies in several fields. HTTP/1 allows only one Cookie field. */
  #fieldsForApp(): string {
    let text = ''
    let cookies = ''
    for (const { name, value } of this.#fields)
      if (name === 'cookie') cookies += cookies === '' ? value : `; ${value}`
      else if (name.charCodeAt(0) !== colon) text += `${name}: ${value}\r\n`
    return cookies === '' ? text : `${text}Cookie: ${cookies}\r\n`
  }
}

type Values = Partial<Record<Meaning, string>>

const colon = 58
/** A path and query without `#`, since a fragment makes a request malformed. */
const targetForm = /^\/[!"$-~]*$/
/** The methods, and whether the lane takes a body with them. */
const methods = new Map<string, boolean>([
  ...(['GET', 'HEAD'] as const).map(method => [method, false] as const),
  ...(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map(method => [method, true] as const),
])
/** Requests with more fields are left to node:http2, whose own limit is higher. */
const mostFields = 100

/**
 * Reads a request from its fields. Returns undefined if the lane does not answer it, for example because its fields
 * have more than `headBytes`.
 */
export function readRequest(
  fields: readonly Field[],
  headBytes: number,
  hasBody: boolean,
): LaneRequest | undefined {
  if (fields.length > mostFields) return undefined
  const got: Values = {}
  let pseudo = 0
  let bytes = 0
  for (let at = 0; at < fields.length; at++) {
    const { name, value, size, meaning } = fields[at]!
    bytes += size
    if (meaning === 'none') continue
    if (meaning === 'beyond' || got[meaning] !== undefined) return undefined
    got[meaning] = value
    // Pseudo fields must come before all others.
    if (name.charCodeAt(0) === colon && pseudo++ !== at) return undefined
  }
  const { ':method': method, ':path': target, ':authority': host } = got
  if (bytes > headBytes || method === undefined || got[':scheme'] !== 'https') return undefined
  const mayHaveBody = methods.get(method)
  if (mayHaveBody === undefined || (hasBody && !mayHaveBody)) return undefined
  // Without a body, node:http2 compares a length with it.
  if (!hasBody && got['content-length'] !== undefined) return undefined
  if (target === undefined || !targetForm.test(target) || !host || (got.host ?? host) !== host)
    return undefined
  // Browsers may send `te: trailers`. A request with any other `te` is left to node:http2.
  if ((got.te ?? 'trailers') !== 'trailers') return undefined
  return new LaneRequest(method, target, host, got, fields)
}
