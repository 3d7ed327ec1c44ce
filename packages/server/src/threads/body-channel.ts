// Carries a request body into a thread through a ring of shared memory, so that nothing is left to collect.
import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { freeMemory } from '../lib/free-memory.ts'

/** Room for what has arrived and is not taken yet. */
const ringBytes = 256 * 1024

/** A sender that is waited for holds a place that others need: it sends at least this much, looked at this often. */
export interface Pace {
  checkMs: number
  bytesPerSecond: number
}

const slowest: Pace = { checkMs: 30_000, bytesPerSecond: 1024 }

/** The thread's end. Transfer the port with it. */
export interface BodyEnd {
  port: MessagePort
  ring: SharedArrayBuffer
}

export interface SentBody {
  end: BodyEnd
  stop(): void
  /** The other side hears that the body failed. */
  fail(): void
  /** Bytes that the other side was given. */
  readonly sent: number
}

/** The message that tells of bytes makes them visible: a thread that receives it sees what was written before. */
type Down = { filled: number } | { end: true } | { failed: string }
type Up = { free: number } | { stop: true }

/**
 * Sends until the body ends or the other side stops; `stop` stops it from here. The body is never destroyed, since
 * the answer to its sender may still have to go out; it is left paused. Nothing is taken before the thread asks,
 * and a body that then comes slower than the pace has failed.
 */
export function sendBody(body: Readable, pace = slowest): SentBody {
  const { port1: port, port2 } = new MessageChannel()
  const ring = new SharedArrayBuffer(ringBytes)
  const room = new Uint8Array(ring)
  let free = 0
  let at = 0
  /** Of the last chunk, what found no room. */
  let rest: Buffer | undefined
  let ended = false
  let sending = true
  let sent = 0
  let sentBefore = 0
  /** Whether this side held the sender up since the last look. A sender that waits for us is not slow. */
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
    // Nobody else knows the chunks of a request.
    if (rest === undefined && body instanceof IncomingMessage) freeMemory(chunk)
  }
  // A stream that is paused in its last chunk ends all the same; what found no room is then still to go.
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
  // The error listener stays: a connection that breaks later must not bring the program down.
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

/** The body, in the thread. A chunk is valid until the next is asked for. Leaving early tells the sender to stop. */
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
