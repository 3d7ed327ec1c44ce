// Upgraded connections (WebSocket and others): after the app's 101, bytes flow both ways until one side closes.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { headerLines } from '../../lib/raw-headers.ts'
import type { Exchange } from '../exchange.ts'
import type { Upgrade } from '../upgrades.ts'
import type { Outgoing } from './upstream.ts'

const keepAliveMs = 60_000

/** Adds the upgrade fields to `headers` and returns the handler of the 101. `fieldsOf` gives the fields of the answer to the client. */
export function openTunnel(
  exchange: Exchange,
  { protocol, socket, head }: Upgrade,
  headers: string[],
  fieldsOf: (answer: IncomingMessage) => string[],
): Pick<Outgoing, 'onUpgrade'> {
  headers.push('Connection', 'Upgrade', 'Upgrade', protocol)
  return {
    onUpgrade(answer, appSocket, appHead) {
      exchange.res.detachSocket(socket)
      exchange.switchedProtocols()
      socket.write(headOf(answer, fieldsOf(answer)), 'latin1')
      if (appHead.length > 0) socket.write(appHead)
      if (head.length > 0) appSocket.write(head)
      join(socket, appSocket)
      join(appSocket, socket)
      for (const side of [socket, appSocket]) {
        side.setTimeout(0)
        side.setKeepAlive(true, keepAliveMs)
        side.setNoDelay(true)
      }
    },
  }
}

/** Forwards the data and the end of `from` to `to`. An error on `from` closes `to`. */
function join(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('error', () => to.destroy())
  // After `from` ended, `to` may still send. It is closed if it is idle for `keepAliveMs`.
  from.on('end', () => to.setTimeout(keepAliveMs, () => to.destroy()))
  from.on('close', () => {
    if (from.readableEnded) to.destroySoon()
    else to.destroy()
  })
}

function headOf(answer: IncomingMessage, fields: string[]): string {
  const upgrade = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? '']
  const lines = headerLines([...fields, ...upgrade])
  return `HTTP/1.1 101 ${answer.statusMessage ?? 'Switching Protocols'}\r\n${lines}\r\n`
}
