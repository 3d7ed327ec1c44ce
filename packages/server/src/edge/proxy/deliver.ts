// Streams an app's answer to the client, with back-pressure.
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { framing, hopByHop } from '../../lib/hop-by-hop.ts'
import { fieldsIn, headersWithout } from '../../lib/raw-headers.ts'
import type { Exchange } from '../exchange.ts'

/** The body of an answer that has begun. */
export interface AnswerBody {
  /** Returns false if the buffer is full. Then the caller waits (`whenDrained`). */
  write(chunk: Buffer): boolean
  /** Calls `action` once, when there is room for more. */
  whenDrained(action: () => void): void
  end(): void
}

/** Passes the body of `answer` on. `body` is that of the answer to the client. */
export function deliver(answer: IncomingMessage, { res }: Exchange, body: AnswerBody): void {
  let hasContent = false
  answer.on('data', (chunk: Buffer) => {
    hasContent = true
    if (body.write(chunk)) return
    answer.pause()
    body.whenDrained(() => answer.resume())
  })
  answer.on('end', () => {
    if (answer.rawTrailers.length > 0) res.addTrailers(trailersOf(answer))
    body.end()
  })
  // The head is already sent. Abort the answer, so that the client sees that it is incomplete.
  answer.on('error', () => res.destroy())
  res.once('close', () => {
    if (!answer.readableEnded) answer.destroy()
  })
  // The head of a stream does not wait for its first bytes, which may come much later. HTTP/2 sends it at once, and
  // `flushHeaders` of HTTP/1 would write it in UTF-8.
  setImmediate(() => {
    if (!hasContent && !answer.complete && !res.destroyed && res.req.httpVersionMajor === 1)
      res.write(nothing)
  })
}

const nothing = Buffer.alloc(0)

/** Matches a status message that Node can send. Node throws if the message has other characters. */
const sendable = /^[\t\x20-\x7e\x80-\xff]+$/

/** Sends the head of an answer. */
export function beginAnswer(
  exchange: Exchange,
  { statusCode = 502, statusMessage }: Pick<IncomingMessage, 'statusCode' | 'statusMessage'>,
  headers: string[],
): AnswerBody {
  const isSendable = statusMessage !== undefined && sendable.test(statusMessage)
  exchange.begin(statusCode, headers, isSendable ? statusMessage : undefined)
  return {
    write: chunk => exchange.write(chunk),
    whenDrained: action => void exchange.res.once('drain', action),
    end: () => exchange.end(),
  }
}

/** Returns the trailers by name, a form that HTTP/1 and HTTP/2 both accept. */
function trailersOf(answer: IncomingMessage): OutgoingHttpHeaders {
  const byName = new Map<string, string[]>()
  for (const [name, value] of fieldsIn(passedTrailers(answer)))
    byName.set(name, [...(byName.get(name) ?? []), value])
  return Object.fromEntries(byName)
}

/** Returns the trailers without hop-by-hop and framing fields, which are not allowed there. Names and values in turn. */
export function passedTrailers({ rawTrailers }: IncomingMessage): string[] {
  const isHop = hopByHop(rawTrailers)
  return headersWithout(rawTrailers, name => isHop(name) || framing.has(name))
}
