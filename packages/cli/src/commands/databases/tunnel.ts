// A connection to the project's database through the API. Its bytes are PostgreSQL's protocol, in a WebSocket.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorFrom, networkError, target } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import { createWebSocketStream, WebSocket } from 'ws'
import { requireToken } from '../../credentials.ts'
import { environment } from '../../environment.ts'
import { networkReason } from '../../network.ts'
import { apiUrl } from '../../platform-url.ts'
import { userAgent } from '../../session.ts'

export interface TunnelPlace {
  /** The project. */
  name: string
  branch: string | undefined
}

/** The platform ends it with this code, and says why. */
const endedByPlatform = 4000
const longestError = 64 * 1024

/** Rejects with the answer of the API if that refuses it. `onEnded`: the platform closed it, with the reason. */
export async function openTunnel(
  { name, branch }: TunnelPlace,
  onEnded: (reason: string) => void = () => undefined,
): Promise<Duplex> {
  const baseUrl = apiUrl()
  const { path } = target('GET /projects/:name/database/tunnel', { params: { name }, query: { branch } })
  const webSocket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}${path}`, {
    headers: { ...userAgent(), authorization: `Bearer ${requireToken()}` },
    perMessageDeflate: false,
    maxPayload: limits.tunnelMessageBytes,
    handshakeTimeout: environment.silenceMs(),
  })
  await new Promise<void>((resolve, reject) => {
    webSocket.once('open', resolve)
    webSocket.on('error', cause => reject(networkError(baseUrl, cause, networkReason(cause))))
    webSocket.once('unexpected-response', (_request, response) => {
      textOf(response).then(text => reject(errorFrom(response.statusCode ?? 0, text)), reject)
    })
  })
  webSocket.once('close', (code, reason) => code === endedByPlatform && onEnded(reason.toString()))
  const bytes = createWebSocketStream(webSocket)
  bytes.on('error', () => undefined)
  return bytes
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > longestError) break
  }
  return text
}
