// Relays requests that an edge worker received but the main process answers (API, dashboard, …). They go through a unix
// socket in the data directory that only svcd's user can open, so the main process trusts the client address sent along.

import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { minuteMs } from '@svc/contract/durations'
import type { Settings } from '../config.ts'
import type { Exchange } from '../edge/exchange.ts'
import { sendPage } from '../edge/pages.ts'
import { Cancellation } from '../edge/proxy/cancellation.ts'
import { beginAnswer, deliver } from '../edge/proxy/deliver.ts'
import { sendInterimResponse } from '../edge/proxy/interim-responses.ts'
import { addFraming } from '../edge/proxy/request-headers.ts'
import { Upstream } from '../edge/proxy/upstream.ts'
import { hopByHop } from '../lib/hop-by-hop.ts'
import { requestIdField } from '../lib/platform-fields.ts'
import { headersWithout } from '../lib/raw-headers.ts'
import type { Received } from '../lib/received.ts'
import { isRequestId } from '../lib/request-ids.ts'
import type { Part } from '../listener.ts'

/** Each main process has its own: while one takes over from another, both run. */
export const mainSocket = ({ dataDir }: Pick<Settings, 'dataDir'>, pid: number): string =>
  path.join(dataDir, `main-${pid}.sock`)

/** The process that a socket of this name belongs to. */
export const mainSocketPid = (name: string): number | undefined => {
  const pid = /^main-(\d+)\.sock$/.exec(name)?.[1]
  return pid === undefined ? undefined : Number(pid)
}

const peerField = 'X-Svc-Peer'

/** The same as those of the main process's own listener. */
const timeouts = { answer: 60 * minuteMs, idle: 10 * minuteMs }

export function relayTo(socketPath: string, onError: (error: unknown) => void): Part {
  const upstream = new Upstream(timeouts)
  return exchange => {
    const { req, res } = exchange
    const cancellation = new Cancellation(res)
    const { headers, hasBody } = relayed(exchange)
    upstream
      .send(
        { socketPath },
        {
          method: exchange.method,
          path: exchange.url,
          headers,
          body: hasBody ? req : undefined,
          expectsContinue: req.headers.expect !== undefined,
          cancellation,
          onInterimResponse: status => sendInterimResponse(res, status),
        },
      )
      .then(answer => deliver(answer, exchange, beginAnswer(exchange, answer, answerOf(answer))))
      .catch(error => {
        if (cancellation.isCancelled) return
        onError(error)
        if (res.headersSent) res.destroy()
        else sendPage(exchange, 'unavailable')
      })
  }
}

/** The header fields of the request without the hop-by-hop ones, plus the client's address and the request id. */
function relayed(exchange: Exchange): { headers: string[]; hasBody: boolean } {
  const { req, peer, requestId } = exchange
  const isHop = hopByHop(req.rawHeaders)
  const isOurs = (name: string) => name === 'content-length' || own.has(name) || isHop(name)
  const headers = headersWithout(req.rawHeaders, isOurs)
  headers.push(peerField, `${peer.address} ${peer.secure ? 'tls' : 'plain'}`, requestIdField, requestId)
  return { headers, hasBody: addFraming(req, headers) }
}

const own = new Set([peerField, requestIdField].map(name => name.toLowerCase()))

/** Leaves out the request id, because the worker adds it to every answer. */
function answerOf({ rawHeaders }: IncomingMessage): string[] {
  const isHop = hopByHop(rawHeaders)
  return headersWithout(rawHeaders, name => own.has(name) || isHop(name))
}

/** For the main process: the client's address and the request id that the worker sent along. */
export function receivedBy(req: IncomingMessage): Partial<Received> {
  const [address = '', how] = takeHeader(req, peerField).split(' ')
  const requestId = takeHeader(req, requestIdField)
  return { peer: { address, secure: how === 'tls' }, ...(isRequestId(requestId) && { requestId }) }
}

function takeHeader({ headers }: IncomingMessage, field: string): string {
  const value = String(headers[field.toLowerCase()] ?? '')
  delete headers[field.toLowerCase()]
  return value
}
