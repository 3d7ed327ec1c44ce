// One answer of a site as the edge saw it, and where the edge tells of it. Telling costs no more than a push: whatever
// is to be read out of it is read later.

export interface Access {
  /** When it was answered, in milliseconds. */
  readonly at: number
  readonly projectId: string
  /** As the request named it, port included. */
  readonly host: string
  readonly method: string
  /** Path and query as they were sent. */
  readonly target: string
  /** 0 where the client went away before it had an answer. */
  readonly status: number
  /** Of the body, as they went out. */
  readonly bytes: number
  /** What `X-Svc-Cache` said. */
  readonly cache: string | undefined
  /** Whether it is an HTML document, also where a 304 says only that the client has it. */
  readonly html: boolean
  /** Who connected: the client, or a proxy before it. */
  readonly peer: string
  /** The header fields of the request, one a line. */
  readonly fields: string
  /** How often the very same came in a row. */
  times: number
  /** It is being counted, and can no longer be added to. */
  taken: boolean
}

export interface AccessLog {
  add(access: Access): void
}
