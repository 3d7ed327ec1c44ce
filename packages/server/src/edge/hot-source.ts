// Hot files for the lanes: finds the file that answers a request, and writes the answer to the access log.

import type { Access, CountParts } from '../core/stats/access.ts'
import { neededFields } from '../core/stats/fields.ts'
import { detached } from '../lib/detached.ts'
import type { Peer } from '../lib/received.ts'
import type { HotFile } from './hot-files.ts'

/** A GET or HEAD without conditions, ranges or a body, or with conditions that the lane evaluates itself. */
export interface HotRequest {
  readonly method: string
  /** Path and query as they were written. */
  readonly target: string
  readonly host: string
  readonly acceptEncoding: string | undefined
  /** All header fields, one a line. */
  readonly fields: string
}

/** What a lane answered. */
export interface HotAnswer {
  readonly status: 200 | 304
  /** The bytes of the body that were sent. */
  readonly bytes: number
}

/** What the lanes need of the rest of the edge. */
export interface HotSource {
  /** The file that answers, if it is in memory and the site is open to everyone. */
  find(request: HotRequest, secure: boolean): HotFile | undefined
  /** Writes an answer to the access log. */
  count(hot: HotFile, request: HotRequest, answer: HotAnswer, peer: Peer): void
}

/** A request like the one before for the same file only adds to that one's entry. */
export function countHot(
  { log, clock, isTrusted }: CountParts,
  hot: HotFile,
  { method, host, fields: allFields }: HotRequest,
  { status, bytes }: HotAnswer,
  { address: peer }: Peer,
): void {
  const { html } = hot.representation
  const trusted = isTrusted(peer)
  const fields = trusted || html ? neededFields(allFields, trusted) : ''
  const last = status === 200 ? hot.lastWhole : hot.lastUnchanged
  if (
    last !== undefined &&
    !last.taken &&
    last.bytes === bytes &&
    last.method === method &&
    last.peer === peer &&
    last.host === host &&
    last.fields === fields
  ) {
    last.times++
    return
  }
  const access: Access = {
    at: clock.now(),
    projectId: hot.projectId,
    host: detached(host),
    method,
    target: hot.path,
    status,
    bytes,
    cache: 'HIT',
    html,
    peer,
    fields: detached(fields),
    times: 1,
    taken: false,
  }
  if (status === 200) hot.lastWhole = access
  else hot.lastUnchanged = access
  log.add(access)
}
