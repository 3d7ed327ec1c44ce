// Writes the head of an answer and the first part of its body at once. Both are copied into memory that is used again for the next
// answer. Allocating new memory for each answer, and collecting it, takes a tenth of the time of a short request.
import type { Socket } from 'node:net'
import { writeDirectly } from '../direct-writes.ts'

/** Longer answers get memory of their own. A slow client may hold this much of the shared memory. */
const sharedBytes = 16 * 1024

let shared = Buffer.allocUnsafeSlow(sharedBytes)

/** Writes `head`, and the part of `bytes` from `start` to `end`. `client` is a socket with or without TLS. */
export function writeJoined(client: Socket, head: string, bytes: Buffer, start: number, end: number): void {
  const length = head.length + end - start
  // TLS reads the bytes later. So does a socket that has not sent the bytes before them.
  const isShared = length <= sharedBytes && client.writableLength === 0 && !('encrypted' in client)
  const joined = isShared ? shared.subarray(0, length) : Buffer.allocUnsafe(length)
  joined.write(head, 'latin1')
  bytes.copy(joined, head.length, start, end)
  const isFreeAgain = writeDirectly(client, joined)
  if (isShared && !isFreeAgain) shared = Buffer.allocUnsafeSlow(sharedBytes)
}
