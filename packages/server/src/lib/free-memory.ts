// Gives the memory of a large buffer back at once, where waiting for the garbage collector would let it pile up.
import { MessageChannel } from 'node:worker_threads'

/** A message to a closed port is dropped, and what was transferred with it is freed. */
const { port1: nowhere, port2 } = new MessageChannel()
port2.close()

/**
 * The buffer is empty afterwards. It must reach to the end of its memory, so that whoever fills that piece by piece
 * has moved on, and it must be larger than the pool that small buffers share.
 */
export function freeMemory({ buffer: memory, byteOffset, byteLength }: Buffer) {
  if (!(memory instanceof ArrayBuffer) || memory.byteLength <= Buffer.poolSize) return
  if (byteOffset + byteLength === memory.byteLength) nowhere.postMessage(null, [memory])
}
