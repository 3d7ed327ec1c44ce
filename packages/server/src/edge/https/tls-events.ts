// Lets node:http read connections with TLS by their 'data' events. By default its parser reads them below the stream. When a
// client does not take its answers, node:http pauses the stream and the parser, but TLS still passes on what it has decrypted.
// The parser then fails with "Parse Error: Paused", and the connection of a well-behaved client is closed.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

type Accept = (this: Server, socket: Socket) => void

/** Call it before other code replaces node:http's listener for connections. */
export function readTlsByEvents(server: Server): void {
  const accept = server.listeners('connection')[0] as Accept
  server.off('connection', accept)
  server.on('connection', socket => {
    accept.call(server, socket)
    // node:http's parser stops reading below the stream when a listener for data is added.
    if ('encrypted' in socket) socket.on('data', nothing).off('data', nothing)
  })
}

const nothing = (): void => undefined
