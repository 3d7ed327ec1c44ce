// Passes a request on to another process of svcd, and its answer back. The connection proves who sends it, so the receiver
// believes the client address and the request id that are sent along.
import type { IncomingMessage } from 'node:http'
import { hopByHop } from '../lib/hop-by-hop.ts'
import { peerField, requestIdField } from '../lib/platform-fields.ts'
import { headersWithout, valueIn } from '../lib/raw-headers.ts'
import type { Received } from '../lib/received.ts'
import { isRequestId } from '../lib/request-ids.ts'
import type { Exchange } from './exchange.ts'
import { Cancellation } from './proxy/cancellation.ts'
import { beginAnswer, deliver } from './proxy/deliver.ts'
import { sendInterimResponse } from './proxy/interim-responses.ts'
import { addFraming } from './proxy/request-headers.ts'
import { openTunnel } from './proxy/tunnel.ts'
import type { Outgoing } from './proxy/upstream.ts'
import type { Upgrade } from './upgrades.ts'

const own = new Set([peerField, requestIdField].map(name => name.toLowerCase()))

interface Relay {
  send(outgoing: Outgoing): Promise<IncomingMessage>
  /** Called if no answer has begun. It answers. */
  onFailure(error: unknown, exchange: Exchange): void
}

export function relay(exchange: Exchange, { send, onFailure }: Relay, upgrade?: Upgrade): void {
  const { req, res } = exchange
  const cancellation = new Cancellation(res)
  const { headers, hasBody } = relayed(exchange)
  send({
    method: exchange.method,
    path: exchange.url,
    headers,
    body: hasBody ? req : undefined,
    expectsContinue: req.headers.expect !== undefined,
    cancellation,
    ...(upgrade
      ? openTunnel(exchange, upgrade, headers, answerOf)
      : { onInterimResponse: (status, fields) => sendInterimResponse(res, status, fields.link) }),
  })
    .then(answer => deliver(answer, exchange, beginAnswer(exchange, answer, answerOf(answer))))
    .catch(error => {
      if (cancellation.isCancelled) return
      if (res.headersSent) res.destroy()
      else onFailure(error, exchange)
    })
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

/** Leaves out the request id, because the process that the client talks to adds it to every answer. */
function answerOf({ rawHeaders }: IncomingMessage): string[] {
  const isHop = hopByHop(rawHeaders)
  return headersWithout(rawHeaders, name => own.has(name) || isHop(name))
}

/** For the receiver: the client's address and the request id that were sent along. */
export function receivedBy(req: IncomingMessage): Partial<Received> {
  const [address = '', how] = (valueIn(req.rawHeaders, peerField.toLowerCase()) ?? '').split(' ')
  const requestId = valueIn(req.rawHeaders, requestIdField.toLowerCase()) ?? ''
  for (const name of own) delete req.headers[name]
  return { peer: { address, secure: how === 'tls' }, ...(isRequestId(requestId) && { requestId }) }
}
