// Carries a request body into a thread over a message port. The thread grants credit, so little is on its way.
import type { Readable } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'

const windowBytes = 1024 * 1024
/** What a message costs beside its bytes, so that a body of tiny chunks cannot pile up messages either. */
const messageBytes = 512

type Down = { bytes: Uint8Array<ArrayBuffer> } | { end: true } | { failed: string }
type Up = { credit: number } | { stop: true }

/**
 * Sends until the body ends or the other side stops; the function returned stops it from here. The body is never
 * destroyed, since the answer to its sender may still have to go out; it is left paused.
 */
export function sendBody(body: Readable, port: MessagePort): () => void {
  let credit = 0
  let sending = true

  const send = (message: Down, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  const onData = (chunk: Buffer) => {
    credit -= cost(chunk)
    if (credit <= 0) body.pause()
    // A copy, since the chunk may be a part of a buffer that others use; the copy moves without another one.
    const bytes = new Uint8Array(chunk)
    send({ bytes }, [bytes.buffer])
  }
  const onEnd = () => finish({ end: true })
  const onError = (error: Error) => finish({ failed: error.message })
  const onClose = () => finish({ failed: 'closed before its end' })

  function finish(last?: Down) {
    if (!sending) return
    sending = false
    body.off('data', onData).off('end', onEnd).off('close', onClose)
    body.pause()
    if (last === undefined) port.close()
    else send(last)
  }

  port.on('message', (message: Up) => {
    if ('stop' in message) return finish()
    credit += message.credit
    if (sending && credit > 0) body.resume()
  })
  port.on('close', () => finish())
  // The error listener stays: a connection that breaks later must not bring the program down.
  body.on('error', onError)
  if (body.readableEnded) onEnd()
  else if (body.destroyed) finish({ failed: body.errored?.message ?? 'closed before its end' })
  else body.pause().on('data', onData).on('end', onEnd).on('close', onClose)
  return () => {
    finish()
    port.close()
  }
}

/** The body, in the thread. Leaving the loop early tells the sender to stop. */
export async function* receiveBody(port: MessagePort): AsyncGenerator<Buffer> {
  const arrived: Down[] = []
  let wake: (() => void) | undefined
  const arrive = (message: Down) => {
    arrived.push(message)
    wake?.()
  }
  const send = (message: Up) => port.postMessage(message)
  port.on('message', arrive)
  port.on('close', () => arrive({ failed: 'the sender is gone' }))
  send({ credit: windowBytes })
  try {
    while (true) {
      if (arrived.length === 0) await new Promise<void>(resolve => (wake = resolve))
      const message = arrived.shift()!
      if ('end' in message) return
      if ('failed' in message) throw new Error(`The body failed: ${message.failed}`)
      yield Buffer.from(message.bytes.buffer)
      send({ credit: cost(message.bytes) })
    }
  } finally {
    send({ stop: true })
    port.close()
  }
}

function cost(bytes: Uint8Array): number {
  return bytes.length + messageBytes
}
