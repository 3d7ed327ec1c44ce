// Frees the memory of a large buffer at once. Waiting for the garbage collector would let memory pile up.
import { MessageChannel } from 'node:worker_threads'

/** A message to a closed port is dropped, and the memory that was transferred with it is freed. */
const { port1: nowhere, port2 } = new MessageChannel()
port2.close()

/**
 * The buffer is empty afterwards. Does nothing unless the buffer reaches to the end of its ArrayBuffer (otherwise a stream may
 * still fill the rest) and the ArrayBuffer is larger than Node's shared pool.
 */
export function freeMemory({ buffer: memory, byteOffset, byteLength }: Buffer) {
  if (!(memory instanceof ArrayBuffer) || memory.byteLength <= Buffer.poolSize) return
  if (byteOffset + byteLength === memory.byteLength) nowhere.postMessage(null, [memory])
}
