// One answer of a site, as the edge records it. Recording is one push to an array. Everything else is computed later.
import type { Clock } from '../../lib/clock.ts'

export interface Access {
  /** When it was answered, in milliseconds. */
  readonly at: number
  readonly projectId: string
  /** The host of the request, with its port. */
  readonly host: string
  readonly method: string
  /** Path and query as they were sent. */
  readonly target: string
  /** 0 if the client disconnected before an answer began. */
  readonly status: number
  /** The bytes of the body that were sent. */
  readonly bytes: number
  /** The value of `X-Svc-Cache`. */
  readonly cache: string | undefined
  /** What answered: a file, an app or its cache, or the platform itself, such as the password page. */
  readonly source: 'static' | 'app' | 'platform'
  /** Whether it is an HTML document. Also set for a 304. */
  readonly html: boolean
  /** The address of the connection: that of the client or of a proxy. */
  readonly peer: string
  /** The deployment that answered. `undefined` for answers of the platform, such as the password page. */
  readonly deploymentId: string | undefined
  /** `undefined` for answers from memory, which carry no id. */
  readonly requestId: string | undefined
  /** The time from the request to the end of the answer. `undefined` for answers from memory, which take no time. */
  readonly ms: number | undefined
  /** The header fields of the request, one per line. */
  readonly fields: string
  /** How often the same request came in a row. */
  times: number
  /** Set when it is being counted. From then on `times` must not change. */
  taken: boolean
}

/** Whether another answer of this kind only needs to increment `times` of the last entry. */
export const isRepeated = (
  last: Access | undefined,
  next: Pick<Access, 'method' | 'host' | 'status' | 'bytes' | 'peer' | 'fields'>,
): last is Access =>
  last !== undefined &&
  !last.taken &&
  last.status === next.status &&
  last.bytes === next.bytes &&
  last.method === next.method &&
  last.peer === next.peer &&
  last.host === next.host &&
  last.fields === next.fields

export interface AccessLog {
  /** Many answers wait to be counted, so equal ones should be joined into one entry. */
  readonly isBusy: boolean
  add(access: Access): void
}

/** What is needed to record an answer in the access log. */
export interface AccessLogParts {
  log: AccessLog
  clock: Clock
  /** Whether X-Forwarded-* headers from this address are believed. */
  isTrusted(address: string): boolean
}
