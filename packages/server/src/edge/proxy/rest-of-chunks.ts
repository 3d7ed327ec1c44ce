// Reads the rest of a chunked body that has extensions or trailers. node:http reads it, because the lane reads plain
// chunks only.
import { request } from 'node:http'
import type { Socket } from 'node:net'
import type { RestOfChunks } from '../lanes/lanes.ts'
import type { AnswerOnly } from './begun-request.ts'
import { passedTrailers } from './deliver.ts'

interface RestParts extends RestOfChunks {
  /** How long the app may send nothing, in milliseconds. */
  idleMs: number
}

const head = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')

/** `answer` must begin with the size of a chunk. */
export function readRestOfChunks(answer: AnswerOnly, { client, idleMs, onData, onEnd }: RestParts): void {
  answer.unshift(head)
  const out = request({ createConnection: () => answer as unknown as Socket })
  answer.setTimeout(idleMs)
  out.on('response', message => {
    message.on('data', (chunk: Buffer) => {
      onData(chunk)
      if (!client.isFull) return
      message.pause()
      client.whenDrained(() => {
        message.resume()
        answer.setTimeout(idleMs)
      })
    })
    message.on('end', () => onEnd(passedTrailers(message)))
    message.on('error', () => onEnd(undefined))
    answer.on('timeout', () => {
      // An app that waits for a slow client is not late.
      if (!message.isPaused()) answer.destroy()
    })
  })
  out.on('error', () => onEnd(undefined))
  out.end()
}
