// Bounds the connections that have not proved yet that they have the key. A node proves it within milliseconds, so the one that has
// waited longest is a stranger's: it makes room for the next one, and strangers keep no node out.
import type { Socket } from 'node:net'
import type { Server } from 'node:tls'

/** Nodes on one machine have one address. Each of them opens few connections at a moment. */
const ofAddressAtMost = 128
const atMost = 512

export function limitHandshakes(server: Server): void {
  /** In the order in which they came. */
  const waiting = new Map<Socket, string>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const ofAddress = [...waiting].filter(([, other]) => other === address)
    if (ofAddress.length >= ofAddressAtMost) ofAddress[0]?.[0].destroy()
    else if (waiting.size >= atMost) waiting.keys().next().value?.destroy()
    waiting.set(socket, address)
    socket.once('close', () => waiting.delete(socket))
  })
  server.on('secureConnection', ({ remoteAddress, remotePort }) => {
    for (const socket of waiting.keys())
      if (socket.remotePort === remotePort && socket.remoteAddress === remoteAddress) waiting.delete(socket)
  })
}
