// Writes to connections without the steps of a stream. The kernel takes a short answer at once in nearly all cases, and then
// nothing is left to wait for. If a version of Node does not have what this needs, or the kernel is not ready for more, the
// bytes go through the stream.
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

interface Handle {
  readonly writeQueueSize: number
  /** Set while bytes of a direct write wait to be sent. */
  isWaiting?: boolean
  /** Called when they have been sent. */
  onSent?: (() => void) | undefined
  /** With TLS: what the stream does after that. Undefined until `letStreamWait` was called. */
  streamStep?: (() => void) | null
  writeBuffer(request: WriteRequest, bytes: Buffer): number
  writev(request: WriteRequest, parts: Buffer[], areBuffers: true): number
  writeLatin1String(request: WriteRequest, text: string): number
}

/** What Node needs for a write that the kernel does not complete at once. */
interface WriteRequest {
  oncomplete?(this: WriteRequest, status: number): void
  socket?: Socket
  handle?: Handle
  /** Must not be collected before it is written. */
  bytes?: Buffer | Buffer[] | undefined
  /** The result, if it was known before the call that wrote has returned. */
  earlyStatus?: number
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
  _writableState?: { writing?: boolean }
  /** Starts the time of `setTimeout` anew. */
  _unrefTimer(): void
}

const wrap = findStreamWrap()
let spare = wrap === undefined ? undefined : newRequest(wrap)
let joined: Buffer = Buffer.alloc(0)

function findStreamWrap(): StreamWrap | undefined {
  try {
    const found = withoutDeprecations(() => (process as unknown as Binding).binding('stream_wrap'))
    const isWhole = found.WriteWrap && found.streamBaseState && found.kLastWriteWasAsync !== undefined
    return isWhole && '_unrefTimer' in Socket.prototype ? (found as StreamWrap) : undefined
  } catch {
    return undefined
  }
}

function newRequest({ WriteWrap }: StreamWrap): WriteRequest {
  const request = new WriteWrap()
  request.oncomplete = onComplete
  return request
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

/**
 * Encrypts and writes `bytes`. Their memory can be used again at once. Calls `onSent` when the kernel has taken them, but not if
 * the connection fails. Returns false and writes nothing if that cannot be done now, or without TLS.
 */
export function encryptDirectly(socket: Writable, bytes: Buffer, onSent: () => void): boolean {
  const handle = freeHandle(socket as Socket)
  if (handle?.streamStep === undefined) return false
  if (encrypt(socket as Socket, handle, bytes)) setImmediate(onSent)
  else handle.onSent = onSent
  return true
}

/** Writes a head and a body in one write. The body may be large. */
export function writeBothDirectly(socket: Socket, head: Buffer, body: Buffer): void {
  const handle = freeHandle(socket)
  if (handle !== undefined) {
    writeBoth(socket, handle, head, body)
    return
  }
  socket.cork()
  socket.write(head)
  socket.write(body)
  socket.uncork()
}

function writeBoth(socket: Socket, handle: Handle, head: Buffer, body: Buffer): void {
  if (handle.streamStep !== undefined) {
    encrypt(socket, handle, join(head, body))
    return
  }
  const parts = [head, body]
  complete(socket, handle, handle.writev(spare!, parts, true), parts)
}

/**
 * Node encrypts a single buffer before `writeBuffer` returns. If it has to wait for the client first, it copies the buffer. Returns
 * whether the kernel has taken everything. Today Node always says that later.
 */
function encrypt(socket: Socket, handle: Handle, bytes: Buffer): boolean {
  return complete(socket, handle, handle.writeBuffer(spare!, bytes))
}

/** With TLS, Node would copy two buffers to new memory. Here they are copied to memory that is used again and again. */
function join(head: Buffer, body: Buffer): Buffer {
  const length = head.length + body.length
  if (joined.length < length) joined = Buffer.allocUnsafeSlow(length)
  head.copy(joined)
  body.copy(joined, head.length)
  return joined.subarray(0, length)
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

/** Returns the handle of a connection on which nothing waits to be sent. */
function freeHandle(socket: Socket): Handle | undefined {
  if (wrap === undefined || !socket.writable || socket.writableLength > 0 || socket.writableCorked > 0)
    return undefined
  const handle = (socket as unknown as Internals)._handle
  if (!handle?.writeBuffer || handle.isWaiting || socket.connecting) return undefined
  return 'encrypted' in socket ? freeTlsHandle(socket, handle as Handle) : (handle as Handle)
}

/**
 * With TLS, Node ends the process if a write begins while another one is under way, be it an empty one of the stream, which
 * `writableLength` does not show.
 */
function freeTlsHandle(socket: Socket, handle: Handle): Handle | undefined {
  if ((socket as unknown as Internals)._writableState?.writing !== false) return undefined
  if (handle.streamStep === undefined) letStreamWait(socket, handle)
  return handle
}

/** Lets the stream of a socket with TLS wait while a direct write is under way. */
function letStreamWait(socket: Socket, handle: Handle): void {
  handle.streamStep = null
  for (const name of ['_write', '_writev', '_final'] as const) {
    const step = socket[name] as (...given: unknown[]) => void
    socket[name] = (...given: unknown[]): void => {
      if (handle.isWaiting) handle.streamStep = () => step.apply(socket, given)
      else step.apply(socket, given)
    }
  }
}

/** Handles the result of a write. Returns whether the kernel has taken everything. `bytes` are kept until it has. */
function complete(socket: Socket, handle: Handle, error: number, bytes?: Buffer | Buffer[]): boolean {
  if (socket.timeout) (socket as unknown as Internals)._unrefTimer()
  if (error !== 0) {
    socket.destroy()
    return false
  }
  if (wrap!.streamBaseState[wrap!.kLastWriteWasAsync] === 0) return true
  const request = spare!
  spare = newRequest(wrap!)
  if (request.earlyStatus !== undefined) {
    if (request.earlyStatus < 0) socket.destroy()
    return request.earlyStatus >= 0
  }
  request.socket = socket
  request.handle = handle
  request.bytes = bytes
  handle.isWaiting = true
  return false
}

function onComplete(this: WriteRequest, status: number): void {
  const { handle } = this
  // With TLS, Node says that the kernel has refused the bytes before the write returns, and yet it returns no error.
  if (handle === undefined) {
    this.earlyStatus = status
    return
  }
  const { onSent, streamStep } = handle
  handle.isWaiting = false
  handle.onSent = undefined
  if (status < 0) this.socket!.destroy()
  if (streamStep) {
    handle.streamStep = null
    streamStep()
  }
  if (status >= 0) onSent?.()
}
