// Endpoints whose answer is a WebSocket that carries the bytes of another protocol. Reverse proxies and CDNs that let through no other
// upgrade let this one through.
import type { IncomingMessage } from 'node:http'
import { limits } from '@svc/contract'
import { createWebSocketStream, WebSocketServer } from 'ws'
import type { ByteTunnel } from '../core/base/byte-tunnel.ts'
import type { AlarmClock } from '../lib/clock.ts'
import type { UpgradeRequest } from '../lib/received.ts'

/** An answer that is no answer in HTTP. */
export class SwitchToWebSocket {
  readonly serve: (tunnel: ByteTunnel) => Promise<void>
  constructor(serve: (tunnel: ByteTunnel) => Promise<void>) {
    this.serve = serve
  }
}

/** A client whose machine is gone without a word is noticed after some minutes. */
const keepAliveMs = 60_000
/** For reasons of the platform. Those from 4000 on are free for each application (RFC 6455, 7.4.2). */
const endedByPlatform = 4000
/** The size of a reason in a close frame. */
const reasonBytes = 123
/** For a client that reads nothing: what it was sent may never arrive. */
const closesWithinMs = 30_000

const handshakes = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: limits.tunnelMessageBytes,
})

export const isWebSocket = ({ protocol }: UpgradeRequest): boolean => protocol.toLowerCase() === 'websocket'

export function switchToWebSocket(
  req: IncomingMessage,
  upgrade: UpgradeRequest,
  { serve }: SwitchToWebSocket,
  { clock, onError }: { clock: AlarmClock; onError: (error: unknown) => void },
): void {
  const socket = upgrade.take()
  socket.setKeepAlive(true, keepAliveMs)
  // It refuses a request that is no proper handshake itself.
  handshakes.handleUpgrade(req, socket, upgrade.head, webSocket => {
    const bytes = createWebSocketStream(webSocket)
    // `close` follows.
    bytes.on('error', () => undefined)
    const tunnel: ByteTunnel = {
      bytes,
      gone: new Promise(resolve => webSocket.once('close', () => resolve())),
      ping: () => webSocket.ping(() => undefined),
      end: reason => webSocket.close(endedByPlatform, cut(reason)),
    }
    serve(tunnel)
      .catch(onError)
      .finally(() => {
        bytes.end()
        clock.timeout(closesWithinMs).addEventListener('abort', () => webSocket.terminate())
      })
  })
}

/** Texts of the platform are ASCII where it matters; a character that is cut becomes a question mark. */
const cut = (reason: string): string =>
  Buffer.byteLength(reason) <= reasonBytes ? reason : reason.replace(/[^ -~]/g, '?').slice(0, reasonBytes)
