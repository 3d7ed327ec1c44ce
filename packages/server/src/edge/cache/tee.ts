// Reads an app's answer into memory and streams it to the client at the same time.
import type { IncomingMessage } from 'node:http'
import { beginAppAnswer } from '../compression/app-answers.ts'
import type { Exchange } from '../exchange.ts'

/** Limits the memory for all answers that are being read, including data that slow clients have not received yet. */
export class MemoryBudget {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Reserves memory and returns true. If too little is left, reserves nothing and returns false. */
  reserve(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  release(bytes: number): void {
    this.#left += bytes
  }
}

/** Estimated memory for a chunk besides its content, in bytes. It matters if an answer comes in many small chunks. */
const chunkOverhead = 128

/** The whole body, or the reason why it cannot be stored. */
type TeeResult = Buffer | 'too large' | 'broken off'

/**
 * Reads the answer, streams it to `reader` if there is one, and resolves with the body. While there is memory, reading
 * continues even if the client reads slowly or goes away, because other requests may wait for the answer.
 */
export function tee(
  answer: IncomingMessage,
  reader: { client: Exchange; headers: string[] } | undefined,
  { atMost, memory }: { atMost: number; memory: MemoryBudget },
): Promise<TeeResult> {
  return new Promise(resolve => {
    const client = reader?.client
    const res = client?.res
    const chunks: Buffer[] = []
    let held = 0
    let isKept = true
    let isTaken = client === undefined || client.isClosed

    const leave = () => {
      if (isKept || !isTaken) return
      memory.release(held)
      held = 0
    }
    const settle = (read: TeeResult) => {
      isKept = false
      chunks.length = 0
      resolve(read)
      leave()
    }
    const hold = (chunk: Buffer) => {
      const weight = chunk.length + chunkOverhead
      if (held + weight > atMost || !memory.reserve(weight)) return settle('too large')
      held += weight
      chunks.push(chunk)
    }

    const body = reader && beginAppAnswer(reader.client, answer, reader.headers)
    answer.on('data', (chunk: Buffer) => {
      if (isKept) hold(chunk)
      if (isTaken) {
        if (!isKept) answer.destroy()
        return
      }
      if (body?.write(chunk) || isKept) return
      answer.pause()
      body?.whenDrained(() => answer.resume())
    })
    answer.on('end', () => {
      if (isKept) settle(joined(chunks))
      body?.end()
    })
    answer.on('error', () => {
      if (isKept) settle('broken off')
      res?.destroy()
    })
    res?.once('close', () => {
      isTaken = true
      leave()
      if (!isKept && !answer.readableEnded) answer.destroy()
    })
  })
}

/**
 * Copies the chunks into one new buffer. It is not taken from Node's pool: a small buffer that is stored for long would
 * keep a whole block of the pool in memory.
 */
function joined(chunks: readonly Buffer[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) at += chunk.copy(whole, at)
  return whole
}
