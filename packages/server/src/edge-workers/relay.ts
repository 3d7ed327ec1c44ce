// Requests that reach a worker but are for the main process (API, dashboard, …): passed on through a socket in the data
// directory, which nobody but svcd can open. With each goes who sent it, which the main process believes for that reason.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import path from 'node:path'
import type { TLSSocket } from 'node:tls'
import type { HttpHandler } from '../api/server.ts'
import type { Settings } from '../config.ts'
import { sendPage } from '../edge/pages.ts'
import { deliver } from '../edge/proxy/deliver.ts'
import { Departure } from '../edge/proxy/departure.ts'
import { hopByHop } from '../edge/proxy/hop-by-hop.ts'
import { inform } from '../edge/proxy/inform.ts'
import { addFraming } from '../edge/proxy/request-headers.ts'
import { Upstream } from '../edge/proxy/upstream.ts'

export const mainSocket = ({ dataDir }: Pick<Settings, 'dataDir'>): string => path.join(dataDir, 'main.sock')

const peerField = 'X-Svc-Peer'
const minute = 60_000

/** As patient as the main process's own listener. */
const patience = { answer: 60 * minute, silence: 10 * minute }

export function relayTo(socketPath: string, onError: (error: unknown) => void): HttpHandler {
  const upstream = new Upstream(patience)
  return (req, res) => {
    const departure = new Departure(res)
    const { headers, hasBody } = relayed(req)
    upstream
      .send(
        { socketPath },
        {
          method: req.method!,
          path: req.url!,
          headers,
          body: hasBody ? req : undefined,
          expectsContinue: req.headers.expect !== undefined,
          departure,
          onInformation: status => inform(res, status),
        },
      )
      .then(answer => deliver(answer, res, without(answer.rawHeaders, hopByHop(answer.rawHeaders))))
      .catch(error => {
        if (departure.isGone) return
        onError(error)
        if (res.headersSent) res.destroy()
        else sendPage(req, res, 'unavailable')
      })
  }
}

/** The request as it came, but for what belongs to its connection. */
function relayed(req: IncomingMessage): { headers: string[]; hasBody: boolean } {
  const isHop = hopByHop(req.rawHeaders)
  const isOurs = (name: string) =>
    name === 'content-length' || name === peerField.toLowerCase() || isHop(name)
  const { remoteAddress = '', encrypted } = req.socket as TLSSocket
  const headers = [
    ...without(req.rawHeaders, isOurs),
    peerField,
    `${remoteAddress} ${encrypted ? 'tls' : 'plain'}`,
  ]
  return { headers, hasBody: addFraming(req, headers) }
}

/** On the main process's side. Requests on one connection follow each other, so that it has one peer at a time. */
export function takePeer(req: IncomingMessage): void {
  const field = peerField.toLowerCase()
  const [address = '', how] = String(req.headers[field] ?? '').split(' ')
  delete req.headers[field]
  define(req.socket, 'remoteAddress', address)
  define(req.socket, 'encrypted', how === 'tls')
}

const define = (socket: Socket, name: string, value: unknown): void =>
  void Object.defineProperty(socket, name, { value, configurable: true })

function without(headers: readonly string[], isLeftOut: (name: string) => boolean): string[] {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2)
    if (!isLeftOut(headers[i]!.toLowerCase())) kept.push(headers[i]!, headers[i + 1]!)
  return kept
}
