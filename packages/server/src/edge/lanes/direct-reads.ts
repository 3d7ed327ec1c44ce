// Reads connections into one buffer that all of them share, without the steps of a stream. For each read, Node would allocate
// 64 KB and pass a chunk through a Readable. `net.connect` has the option `onread` for this, but `net.createServer` has not. So
// the properties that this option sets are set here. If a version of Node does not have them, all chunks come as 'data' events.
import { Socket } from 'node:net'

/** What Node reads from a connection at a time. */
const sharedBytes = 64 * 1024

const shared = Buffer.allocUnsafeSlow(sharedBytes)

const keys = Object.getOwnPropertySymbols(new Socket())
const keyOf = (description: string) => keys.find(key => key.description === description)
const bufferKey = keyOf('kBuffer')
const callbackKey = keyOf('kBufferCb')

/** On Windows several reads may be under way at a time, and they would overwrite each other's bytes. */
const isPossible = bufferKey !== undefined && callbackKey !== undefined && process.platform !== 'win32'

type Internals = Record<symbol, unknown> & {
  _handle?: { useUserBuffer?(buffer: Buffer): void } | null
}

/**
 * Calls `onShared` with what comes from the socket. Those bytes are overwritten after the call, so `onShared` must copy what it
 * keeps. While the socket is paused, or still has bytes that came earlier, further bytes come as 'data' events after these. Returns
 * a function after which all bytes come as 'data' events. Then `readDirectly` may be called for the socket again.
 */
export function readDirectly(socket: Socket, onShared: (chunk: Buffer) => void): () => void {
  const internals = socket as unknown as Internals
  const handle = internals._handle
  let isDirect = isPossible && typeof handle?.useUserBuffer === 'function'
  if (!isDirect) return () => undefined
  const isFirst = internals[bufferKey!] !== shared
  internals[bufferKey!] = shared
  // Node stops reading if the callback returns false.
  internals[callbackKey!] = (bytes: number): boolean => {
    const chunk = shared.subarray(0, bytes)
    if (!isDirect || socket.readableFlowing !== true || socket.readableLength > 0)
      return socket.push(Buffer.from(chunk))
    onShared(chunk)
    return true
  }
  if (isFirst) handle!.useUserBuffer!(shared)
  return () => {
    isDirect = false
  }
}
