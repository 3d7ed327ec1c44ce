// Tells the access log of hot files that the fast lane sent.
import type { Access, AccessLog } from '../core/stats/access.ts'
import type { Clock } from '../lib/clock.ts'
import type { Peer } from '../lib/received.ts'
import type { HotFile } from './hot-files.ts'
import type { PlainGet } from './plain-get.ts'

/** A connection of the fast lane. */
export interface LanePeer extends Peer {
  /** What it asked for last. */
  last: Access | undefined
}

/** Whoever asks for the same over and over is counted in place. */
export function logHot(
  { log, clock }: { log: AccessLog; clock: Clock },
  projectId: string,
  request: PlainGet,
  hot: HotFile,
  peer: LanePeer,
): void {
  const { last } = peer
  const bytes = hot.body.length
  const { html } = hot.representation
  const isSame =
    last !== undefined &&
    !last.taken &&
    last.bytes === bytes &&
    last.html === html &&
    last.projectId === projectId &&
    last.target === request.target &&
    last.fields === request.fields
  if (isSame) {
    last.times++
    return
  }
  const access: Access = {
    at: clock.now(),
    projectId,
    host: request.host,
    method: 'GET',
    target: request.target,
    status: 200,
    bytes,
    cache: 'HIT',
    html,
    peer: peer.address,
    fields: request.fields,
    times: 1,
    taken: false,
  }
  peer.last = access
  log.add(access)
}
