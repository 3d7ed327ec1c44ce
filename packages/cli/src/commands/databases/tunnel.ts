// A connection to the project's database through the API. Its bytes are PostgreSQL's protocol, in a WebSocket.
import type { Duplex } from 'node:stream'
import { target } from '@svc/contract/client'
import { createWebSocketStream } from 'ws'
import { endedByPlatform, openWebSocket } from '../../web-socket.ts'

export interface TunnelPlace {
  /** The project. */
  name: string
  branch: string | undefined
}

/** Rejects with the answer of the API if that refuses it. `onEnded`: the platform closed it, with the reason. */
export async function openTunnel(
  { name, branch }: TunnelPlace,
  onEnded: (reason: string) => void = () => undefined,
): Promise<Duplex> {
  const { path } = target('GET /projects/:name/database/tunnel', { params: { name }, query: { branch } })
  const webSocket = await openWebSocket(path)
  webSocket.once('close', (code, reason) => code === endedByPlatform && onEnded(reason.toString()))
  const bytes = createWebSocketStream(webSocket)
  bytes.on('error', () => undefined)
  return bytes
}
