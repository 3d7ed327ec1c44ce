// Passes a request body to a thread through a ring buffer in shared memory, so that it creates no garbage.
import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { freeMemory } from '../lib/free-memory.ts'

/** The size of the ring buffer. */
const ringBytes = 256 * 1024

/** The slowest allowed sender, because a slow sender holds a slot that others need. Checked at this interval. */
export interface Pace {
  checkMs: number
  bytesPerSecond: number
}

const slowest: Pace = { checkMs: 30_000, bytesPerSecond: 1024 }

/** The receiving end, for the thread. The port must be transferred. */
export interface BodyEnd {
  port: MessagePort
  ring: SharedArrayBuffer
}

export interface SentBody {
  end: BodyEnd
  stop(): void
  /** Reports to the other side that the body failed. */
  fail(): void
  /** The number of bytes passed to the other side. */
  readonly sent: number
}

/** A thread that receives the message sees all bytes that were written before it was sent. */
type Down = { filled: number } | { end: true } | { failed: string }
type Up = { free: number } | { stop: true }

/**
 * Sends until the body ends, the other side stops, or `stop` is called. The body is paused, never destroyed, because the
 * answer may still have to be sent. Reading starts when the thread asks for it. From then on a body that is slower than the
 * pace fails.
 */
export function sendBody(body: Readable, pace = slowest): SentBody {
  const { port1: port, port2 } = new MessageChannel()
  const ring = new SharedArrayBuffer(ringBytes)
  const room = new Uint8Array(ring)
  let free = 0
  let at = 0
  /** The part of the last chunk that did not fit into the ring. */
  let rest: Buffer | undefined
  let ended = false
  let sending = true
  let sent = 0
  let sentBefore = 0
  /** Whether the ring was full since the last check. Then the sender is not to blame. */
  let wasHeldUp = true

  const atLeast = (pace.bytesPerSecond * pace.checkMs) / 1000
  const late = setInterval(() => {
    if (!wasHeldUp && sent - sentBefore < atLeast) finish({ failed: 'it came too slowly' })
    wasHeldUp = free === 0
    sentBefore = sent
  }, pace.checkMs).unref()

  const send = (message: Down) => port.postMessage(message)
  const onData = (chunk: Buffer) => {
    let taken = 0
    while (taken < chunk.length && free > 0) {
      const filled = Math.min(chunk.length - taken, free, ringBytes - at)
      room.set(chunk.subarray(taken, taken + filled), at)
      at = (at + filled) % ringBytes
      free -= filled
      taken += filled
      sent += filled
      send({ filled })
    }
    rest = taken < chunk.length ? chunk.subarray(taken) : undefined
    if (free === 0) {
      wasHeldUp = true
      body.pause()
    }
    // Nothing else refers to the chunks of a request.
    if (rest === undefined && body instanceof IncomingMessage) freeMemory(chunk)
  }
  // A stream that is paused in its last chunk still emits `end`. The rest of that chunk is sent later.
  const onEnd = () => {
    ended = true
    if (rest === undefined) finish({ end: true })
  }
  const onError = (error: Error) => finish({ failed: error.message })
  const onClose = () => {
    if (!ended) finish({ failed: 'closed before its end' })
  }

  function finish(last?: Down) {
    if (!sending) return
    sending = false
    rest = undefined
    clearInterval(late)
    body.off('data', onData).off('end', onEnd).off('close', onClose)
    body.pause()
    if (last === undefined) port.close()
    else send(last)
  }

  port.on('message', (message: Up) => {
    if ('stop' in message) return finish()
    if (!sending) return
    free += message.free
    if (rest !== undefined) onData(rest)
    if (rest === undefined && ended) finish({ end: true })
    else if (free > 0) body.resume()
  })
  port.on('close', () => finish())
  // The error listener stays, because a connection that breaks later must not crash the process.
  body.on('error', onError)
  if (body.readableEnded) onEnd()
  else if (body.destroyed) finish({ failed: body.errored?.message ?? 'closed before its end' })
  else body.pause().on('data', onData).on('end', onEnd).on('close', onClose)
  const stop = () => {
    finish()
    port.close()
  }
  return {
    end: { port: port2, ring },
    stop,
    fail: () => finish({ failed: 'it was cut off' }),
    get sent() {
      return sent
    },
  }
}

/** The body, in the thread. A chunk is valid until the next one is requested. Leaving the loop early stops the sender. */
export async function* receiveBody({ port, ring }: BodyEnd): AsyncGenerator<Buffer> {
  const arrived: Down[] = []
  let wake: (() => void) | undefined
  const arrive = (message: Down) => {
    arrived.push(message)
    wake?.()
  }
  const send = (message: Up) => port.postMessage(message)
  port.on('message', arrive)
  port.on('close', () => arrive({ failed: 'the sender is gone' }))
  send({ free: ring.byteLength })
  let at = 0
  try {
    while (true) {
      if (arrived.length === 0) await new Promise<void>(resolve => (wake = resolve))
      const message = arrived.shift()!
      if ('end' in message) return
      if ('failed' in message) throw new Error(`The body failed: ${message.failed}`)
      yield Buffer.from(ring, at, message.filled)
      at = (at + message.filled) % ring.byteLength
      send({ free: message.filled })
    }
  } finally {
    send({ stop: true })
    port.close()
  }
}
