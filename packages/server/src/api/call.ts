// One call of the API as a handler sees it: validated, authenticated, authorised, typed by the contract.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type {
  Answer,
  EndpointKey,
  EndpointTable,
  ParsedBody,
  ParsedQuery,
  PathParams,
  ScopedKey,
} from '@svc/contract'
import type { Caller } from '../core/base/caller.ts'
import type { OrgScope, ProjectScope } from '../core/orgs/rights.ts'
import type { SwitchToWebSocket } from './websocket.ts'

type AccessOf<K extends EndpointKey> = EndpointTable[K]['access']
type ProjectKey = Extract<ScopedKey, `${string} /projects/${string}`>
type OrgKey = Extract<ScopedKey, `${string} /orgs/${string}`>

export interface Call<K extends EndpointKey> {
  /** `undefined` if the endpoint needs no token. */
  caller: AccessOf<K> extends 'none' ? undefined : Caller
  /** The project or org in the path. The caller's role in it was checked. */
  project: K extends ProjectKey ? ProjectScope : undefined
  org: K extends OrgKey ? OrgScope : undefined
  params: PathParams<K>
  query: ParsedQuery<EndpointTable[K]>
  body: ParsedBody<EndpointTable[K]>
  /** The client's address, as trusted proxies report it. */
  ip: string
  headers: IncomingMessage['headers']
  /** A body that is not JSON. The call sends `100 Continue` if the client waits for it. */
  stream(): Readable
  /** Aborts when the client has gone away. */
  gone(): AbortSignal
  /**
   * Throws if the caller may no longer do this. A handler calls it after it has waited for a body or for an app, because rights
   * may be taken away meanwhile. For JSON bodies this was done already.
   */
  confirmRights(): Promise<void>
}

/** An answer that is not JSON. */
export class RawAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  /** A stream is sent while it is read. */
  readonly body: Buffer | string | Readable
  constructor(status: number, headers: Record<string, string>, body: Buffer | string | Readable = '') {
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** JSON lines that are sent while they are made, as a file to save. */
export const jsonLines = (lines: AsyncIterable<string>, fileName: string): RawAnswer =>
  new RawAnswer(
    200,
    {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    Readable.from(lines),
  )

/** A JSON answer with another status than the endpoint's own. */
export class WithStatus<A> {
  readonly status: number
  readonly answer: A
  constructor(status: number, answer: A) {
    this.status = status
    this.answer = answer
  }
}

export type Handler<K extends EndpointKey> = (
  call: Call<K>,
) => Promise<Answer<EndpointTable[K]> | WithStatus<Answer<EndpointTable[K]>> | RawAnswer | SwitchToWebSocket>

/** A handler for every endpoint. A table without one of them does not compile. */
export type Handlers = { [K in EndpointKey]: Handler<K> }
