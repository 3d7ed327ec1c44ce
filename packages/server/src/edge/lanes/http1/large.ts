// Sends large bodies at the end of a turn of the event loop, one after the other, so that all small answers of the turn go first.
// It is also faster: little else passes through the processor's caches while the bodies are copied. Very large bodies are sent in
// pieces, one in each turn. For a slow client, one piece waits in the socket's buffer and not the whole file.
import type { Socket } from 'node:net'
import { unsentBytes, whenSent, writeBothDirectly, writeDirectly } from '../direct-writes.ts'

/** Only larger bodies wait for the end of the turn. */
export const largeBytes = 256 * 1024
/** The size of a piece. */
export const pieceBytes = 1024 * 1024
/** The same with TLS. A piece is encrypted at once, and a slow client's encrypted bytes wait in memory of their own. */
export const tlsPieceBytes = 512 * 1024

interface LargeAnswer {
  socket: Socket
  head: Buffer
  body: Buffer
  pieceBytes: number
  /**
   * Called when the last piece was passed to the socket, or when the socket is destroyed. `sentBytes` is how much of the body was
   * passed to it.
   */
  onPassed(sentBytes: number): void
}

interface Sending {
  answer: LargeAnswer
  passedBytes: number
}

/** The answers of which a piece is to be sent at the end of this turn. */
let waiting: Sending[] = []

export function sendLarge(answer: LargeAnswer): void {
  sendLater({ answer, passedBytes: 0 })
}

function sendLater(sending: Sending): void {
  if (waiting.push(sending) === 1) setImmediate(sendPieces)
}

function sendPieces(): void {
  const sendings = waiting
  waiting = []
  for (const sending of sendings) sendPiece(sending)
  for (const sending of sendings) goOn(sending)
}

function sendPiece(sending: Sending): void {
  const { passedBytes, answer } = sending
  const { socket, body, pieceBytes } = answer
  if (socket.destroyed) return
  const piece = body.length <= pieceBytes ? body : body.subarray(passedBytes, passedBytes + pieceBytes)
  if (passedBytes === 0) writeBothDirectly(socket, answer.head, piece)
  else writeDirectly(socket, piece)
  sending.passedBytes += piece.length
}

function goOn(sending: Sending): void {
  const { answer, passedBytes } = sending
  const { socket } = answer
  if (passedBytes === answer.body.length || socket.destroyed) answer.onPassed(passedBytes)
  else if (unsentBytes(socket) === 0) sendLater(sending)
  else sendLaterWhenSent(sending)
}

function sendLaterWhenSent(sending: Sending): void {
  const { socket } = sending.answer
  const next = (): void => {
    socket.off('close', next)
    sendLater(sending)
  }
  socket.once('close', next)
  whenSent(socket, next)
}
