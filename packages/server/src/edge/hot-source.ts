// Writes the answers of lanes with hot files to the access log.
import { type Access, type AccessLogParts, isRepeated } from '../core/stats/access.ts'
import { neededFields } from '../core/stats/fields.ts'
import { detached } from '../lib/detached.ts'
import type { Peer } from '../lib/received.ts'
import type { KnownFile } from './hot-files.ts'
import type { HotAnswer, HotRequest } from './lanes/lanes.ts'

/** Writes an answer to the access log. Under load, only increments `times` of the last entry for the file if it is equal. */
export function countHot(
  { log, clock, isTrusted }: AccessLogParts,
  hot: KnownFile,
  request: HotRequest,
  { status, bytes }: HotAnswer,
  { address: peer }: Peer,
): void {
  const { method, host } = request
  const { html } = hot.representation
  const trusted = isTrusted(peer)
  // `request.fields` is built when it is read: HTTP/2 has no such text. So it is read only where the stats need it.
  const fields = trusted ? request.fields : html ? loggedFieldsOf(request) : ''
  const last = status === 200 ? hot.lastWhole : hot.lastUnchanged
  if (log.isBusy && isRepeated(last, { method, host, status, bytes, peer, fields })) {
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
    cache: hot.cache,
    source: 'static',
    html,
    peer,
    deploymentId: hot.deploymentId,
    requestId: undefined,
    ms: undefined,
    fields: detached(fields),
    times: 1,
    taken: false,
  }
  if (status === 200) hot.lastWhole = access
  else hot.lastUnchanged = access
  log.add(access)
}

const loggedFieldsOf = ({ fields, loggedFields = neededFields(fields, false) }: HotRequest): string =>
  loggedFields
