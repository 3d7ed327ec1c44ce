// Gives the memory of a large buffer back at once, where waiting for the garbage collector would let it pile up.
import { MessageChannel } from 'node:worker_threads'

/** A message to a closed port is dropped, and what was transferred with it is freed. */
const { port1: nowhere, port2 } = new MessageChannel()
port2.close()

/**
 * The buffer is empty afterwards. One that shares its memory with others is left alone: it must reach to the end
 * of its memory, so that whoever fills it piece by piece has moved on to the next.
 */
export function freeMemory(buffer: Buffer) {
  const { buffer: memory, byteOffset, byteLength } = buffer
  if (memory instanceof ArrayBuffer && byteOffset + byteLength === memory.byteLength)
    nowhere.postMessage(null, [memory])
}
