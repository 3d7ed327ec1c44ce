// Sends large bodies. Very large ones are sent in pieces, at most one in each turn of the event loop, so that other connections
// are served in between. For a slow client, one piece waits in the socket's buffer and not the whole file.
import type { Socket } from 'node:net'

/** The size of a piece. Only larger bodies are sent in pieces. */
export const pieceBytes = 1024 * 1024
/** The same with TLS. A piece is encrypted at once, and a slow client's encrypted bytes wait in memory of their own. */
export const tlsPieceBytes = 512 * 1024

/**
 * Sends `body` in pieces of `size` bytes. Calls `done` when the socket has written the last piece, or is destroyed. `sentBytes`
 * is how many bytes were passed to the socket.
 */
export function sendInPieces(
  socket: Socket,
  body: Buffer,
  size: number,
  done: (sentBytes: number) => void,
): void {
  let at = 0
  const next = (): void => {
    if (at === body.length || socket.destroyed) {
      done(at)
      return
    }
    const piece = body.subarray(at, at + size)
    at += piece.length
    // The callback of a write may come in the same turn of the event loop. `setImmediate` puts the next piece into a
    // later turn.
    socket.write(piece, () => setImmediate(next))
  }
  next()
}
