// What the lane to apps needs from the rest of the edge, and what it reports for the access log.
import type { AppAddress } from '../../../core/base/apps.ts'
import type { Peer } from '../../../lib/received.ts'
import type { Forwarded } from '../../proxy/forwarded.ts'
import type { LentConnection } from '../../proxy/lent-connection.ts'
import type { Route } from '../../route.ts'
import type { Head } from '../http1/head.ts'

/** Where the lane sends a request, and what it sends. */
export interface AppTarget {
  readonly route: Route
  readonly address: AppAddress
  readonly connection: LentConnection
  readonly forwarded: Forwarded
  readonly requestId: string
  /** When the request arrived, as `performance.now()` tells it. */
  readonly startedAt: number
  /** The head of the request, as the app receives it. */
  readonly head: string
  /** Whether the client accepts compressed answers. */
  readonly takesCoding: boolean
  readonly ifNoneMatch: string | undefined
  /** Called when the ordinary way has to compress the answer. */
  noteCompressed(): void
  /** Drops the cache entries of the path. `undefined` if the method changes nothing. */
  readonly invalidate: (() => void) | undefined
}

/** What the lane needs from the rest of the edge. */
export interface AppLaneSource {
  /** Returns where a passable request goes, if the lane may pass it to an app. */
  find(head: Head, peer: Peer): AppTarget | undefined
  /** Writes an answer to the access log. */
  count(target: AppTarget, head: Head, answer: AppAnswer, peer: Peer): void
}

/** What the client received. */
export interface AppAnswer {
  /** 0 if the client went away before the answer began. */
  status: number
  /** The bytes of the body. */
  bytes: number
  /** Whether the Content-Type is HTML. `undefined` if the answer has none. */
  isHtml: boolean | undefined
}
