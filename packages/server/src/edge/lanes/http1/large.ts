// Sends a large body in pieces, one piece in each turn of the event loop. So large files do not hold up small ones, and a slow
// reader holds one piece in the socket's buffers, not the whole file.
import type { Socket } from 'node:net'

/** Larger bodies are sent in pieces of this size. */
export const pieceBytes = 512 * 1024

/** Calls `done` when the last byte was taken, or the connection is gone; it is told how much was handed to the socket. */
export function sendInPieces(socket: Socket, body: Buffer, done: (sentBytes: number) => void): void {
  let at = 0
  const next = (): void => {
    if (at === body.length || socket.destroyed) {
      done(at)
      return
    }
    const piece = body.subarray(at, at + pieceBytes)
    at += piece.length
    // A write may be done at once: the others have their turn before the next piece all the same.
    socket.write(piece, () => setImmediate(next))
  }
  next()
}
