// Connections to the API in both directions.
import type { IncomingMessage } from 'node:http'
import { errorFrom, networkError } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import { WebSocket } from 'ws'
import { requireToken } from './credentials.ts'
import { environment } from './environment.ts'
import { networkReason } from './network.ts'
import { apiUrl } from './platform-url.ts'
import { userAgent } from './session.ts'

/** The platform ends a connection with this code, and says why. */
export const endedByPlatform = 4000
const longestError = 64 * 1024

/** Rejects with the answer of the API if that refuses it. Later errors need no listener: `close` follows. */
export async function openWebSocket(path: string): Promise<WebSocket> {
  const baseUrl = apiUrl()
  const webSocket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}${path}`, {
    headers: { ...userAgent(), authorization: `Bearer ${requireToken()}` },
    perMessageDeflate: false,
    maxPayload: limits.tunnelMessageBytes,
    handshakeTimeout: environment.silenceMs(),
  })
  await new Promise<void>((resolve, reject) => {
    webSocket.once('open', resolve)
    webSocket.on('error', cause => reject(networkError(baseUrl, cause, networkReason(cause))))
    webSocket.once('unexpected-response', (request, response) => {
      textOf(response)
        .then(text => reject(errorFrom(response.statusCode ?? 0, text)), reject)
        // The server may keep the connection open.
        .finally(() => request.destroy())
    })
  })
  return webSocket
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > longestError) break
  }
  return text
}
