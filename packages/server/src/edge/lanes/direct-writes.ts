// Writes to connections without the steps of a stream. The kernel takes a short answer at once in nearly all cases, and then
// nothing is left to wait for. If a version of Node does not have what this needs, or the kernel is not ready for more, the
// bytes go through the stream.
import { Socket } from 'node:net'

interface Handle {
  readonly writeQueueSize: number
  /** Set while bytes of a direct write wait to be sent. */
  isWaiting?: boolean
  /** Called when they have been sent. */
  onSent?: (() => void) | undefined
  writeBuffer(request: WriteRequest, bytes: Buffer): number
  writev(request: WriteRequest, parts: Buffer[], areBuffers: true): number
  writeLatin1String(request: WriteRequest, text: string): number
}

/** What Node needs for a write that the kernel does not complete at once. */
interface WriteRequest {
  oncomplete?(status: number): void
  /** Must not be collected before it is written. */
  bytes?: Buffer | Buffer[]
}

interface StreamWrap {
  WriteWrap: new () => WriteRequest
  streamBaseState: Int32Array
  kLastWriteWasAsync: number
}

interface Binding {
  binding(name: string): Partial<StreamWrap>
}

type Internals = {
  _handle?: Partial<Handle> | null
  /** Starts the time of `setTimeout` anew. */
  _unrefTimer(): void
}

const wrap = findStreamWrap()
let spare = wrap === undefined ? undefined : new wrap.WriteWrap()

function findStreamWrap(): StreamWrap | undefined {
  try {
    const found = withoutDeprecations(() => (process as unknown as Binding).binding('stream_wrap'))
    const isWhole = found.WriteWrap && found.streamBaseState && found.kLastWriteWasAsync !== undefined
    return isWhole && '_unrefTimer' in Socket.prototype ? (found as StreamWrap) : undefined
  } catch {
    return undefined
  }
}

/**
 * Calls `action` without deprecation warnings. With `--pending-deprecation` Node warns of `process.binding`, and with
 * `--throw-deprecation` as well, the warning would end the process.
 */
function withoutDeprecations<T>(action: () => T): T {
  const { noDeprecation } = process
  // With `--no-deprecation` it is true, and cannot be set.
  if (noDeprecation === true) return action()
  process.noDeprecation = true
  try {
    return action()
  } finally {
    process.noDeprecation = noDeprecation
  }
}

/**
 * Writes `bytes`, which must be few. Returns whether their memory can be used again at once, because the kernel has taken them
 * all. With TLS it never can.
 */
export function writeDirectly(socket: Socket, bytes: Buffer): boolean {
  const handle = freeHandle(socket)
  if (handle !== undefined) return complete(socket, handle, handle.writeBuffer(spare!, bytes), bytes)
  socket.write(bytes)
  return socket.writableLength === 0 && !('encrypted' in socket)
}

/** Writes `text` as Latin-1. */
export function writeTextDirectly(socket: Socket, text: string): void {
  const handle = freeHandle(socket)
  if (handle === undefined) socket.write(text, 'latin1')
  else complete(socket, handle, handle.writeLatin1String(spare!, text))
}

/** Writes a head and a body in one write, without copying them into one buffer. The body may be large. */
export function writeBothDirectly(socket: Socket, head: Buffer, body: Buffer): void {
  const handle = freeHandle(socket)
  if (handle !== undefined) {
    const parts = [head, body]
    complete(socket, handle, handle.writev(spare!, parts, true), parts)
    return
  }
  socket.cork()
  socket.write(head)
  socket.write(body)
  socket.uncork()
}

/** Returns how many bytes the kernel has not taken yet. `writableLength` does not count those of a direct write. */
export function unsentBytes(socket: Socket): number {
  const handle = (socket as unknown as Internals)._handle
  return handle?.isWaiting ? Math.max(socket.writableLength, handle.writeQueueSize!) : socket.writableLength
}

/** Returns a number that changes whenever the kernel takes bytes. */
export function sentMark(socket: Socket): number {
  const queued = (socket as unknown as Internals)._handle?.writeQueueSize ?? 0
  return socket.bytesWritten - socket.writableLength - queued
}

/** Calls `onSent` once when the kernel has taken the bytes that wait to be sent. If none wait, it may never be called. */
export function whenSent(socket: Socket, onSent: () => void): void {
  const handle = (socket as unknown as Internals)._handle
  // What waits in the stream is sent after the bytes of a direct write.
  if (handle?.isWaiting && !socket.writableNeedDrain) handle.onSent = onSent
  else socket.once('drain', onSent)
}

/** Returns the handle of a plain connection on which nothing waits to be sent. */
function freeHandle(socket: Socket): Handle | undefined {
  if (wrap === undefined || !socket.writable || socket.writableLength > 0 || socket.writableCorked > 0)
    return undefined
  const handle = (socket as unknown as Internals)._handle
  if (!handle?.writeBuffer || handle.isWaiting || socket.connecting || 'encrypted' in socket) return undefined
  return handle as Handle
}

function complete(socket: Socket, handle: Handle, error: number, bytes?: Buffer | Buffer[]): boolean {
  if (socket.timeout) (socket as unknown as Internals)._unrefTimer()
  if (error !== 0) {
    socket.destroy()
    return false
  }
  if (wrap!.streamBaseState[wrap!.kLastWriteWasAsync] === 0) return true
  const request = spare!
  if (bytes !== undefined) request.bytes = bytes
  handle.isWaiting = true
  request.oncomplete = status => {
    const { onSent } = handle
    handle.isWaiting = false
    handle.onSent = undefined
    if (status < 0) socket.destroy()
    else onSent?.()
  }
  spare = new wrap!.WriteWrap()
  return false
}
