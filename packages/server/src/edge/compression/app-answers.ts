// Sends the answers of apps. The edge compresses them if the app did not and the client accepts it.
import type { IncomingMessage } from 'node:http'
import type { Coding } from '../../core/deployments/archive/variants.ts'
import { headersWithout, valueIn } from '../../lib/raw-headers.ts'
import type { Exchange } from '../exchange.ts'
import { type AnswerBody, beginAnswer, deliver } from '../proxy/deliver.ts'
import { acceptedCoding } from './accepted-coding.ts'
import {
  compressedHeaders,
  holdsCompressed,
  isCompressible,
  isLongEnough,
  withVary,
  withWeakTag,
} from './compressible-answers.ts'
import { Encoder } from './encoder.ts'

type Answered = Pick<IncomingMessage, 'statusCode' | 'statusMessage'>

/** Passes an app's answer on to the client. `headers` alternates names and values. */
export function deliverAppAnswer(answer: IncomingMessage, exchange: Exchange, headers: string[]): void {
  const status = answer.statusCode!
  const ifNoneMatch = exchange.req.headers['if-none-match']
  const isHeld =
    (status === 200 || status === 304) && exchange.isReading && holdsCompressed(ifNoneMatch, headers)
  // The client has this content, compressed. It must not take the app's strong ETag for that of its copy.
  if (isHeld && status === 304) deliver(answer, exchange, beginAnswer(exchange, answer, withWeakTag(headers)))
  // The app did not find its ETag, since the edge made it weak. Many apps compare the whole text.
  else if (isHeld && codingFor(exchange, status, headers).coding !== undefined)
    answerUnchanged(answer, exchange, headers)
  else deliver(answer, exchange, beginAppAnswer(exchange, answer, headers))
}

/** Begins an app's answer. The body may be compressed from then on. */
export function beginAppAnswer(exchange: Exchange, answer: Answered, headers: string[]): AnswerBody {
  const { coding, varies } = codingFor(exchange, answer.statusCode!, headers)
  // If the client is gone, nothing would end the encoder.
  if (coding === undefined || exchange.isClosed)
    return beginAnswer(exchange, answer, varies ? withVary(headers) : headers)
  if (exchange.method === 'HEAD') return beginAnswer(exchange, answer, compressedHeaders(headers, coding))
  const encoder = Encoder.open(coding, isOfEvents(headers), {
    write: chunk => exchange.write(chunk),
    whenDrained: action => void exchange.res.once('drain', action),
    end: last => exchange.end(last),
    fail: () => void exchange.res.destroy(),
  })
  if (encoder === undefined) return beginAnswer(exchange, answer, withVary(headers))
  exchange.res.once('close', () => encoder.destroy())
  beginAnswer(exchange, answer, compressedHeaders(headers, coding))
  return encoder
}

interface ChosenCoding {
  /** `undefined` if the answer is sent as it is. */
  coding: Coding | undefined
  /** Whether another client may get it in another coding. */
  varies: boolean
}

/** Chooses the coding of an app's answer. */
export function codingFor({ req }: Exchange, status: number, headers: readonly string[]): ChosenCoding {
  const length = valueIn(headers, 'content-length')
  if (!isCompressible(status, headers)) return { coding: undefined, varies: false }
  const isLong = isLongEnough(length === undefined ? undefined : Number(length))
  const { coding, takesIdentity } = acceptedCoding(req.headers['accept-encoding'] as string | undefined)
  const isWanted = (isLong || !takesIdentity) && mayTransform(req)
  return { coding: isWanted ? coding : undefined, varies: isLong }
}

/**
 * Whether the client can receive what the edge makes of an answer. HTTP/1.0 has no chunks: the client could not tell whether an
 * answer without a length is complete.
 */
function mayTransform({ httpVersion, headers }: IncomingMessage): boolean {
  if (httpVersion === '1.0' || headers.upgrade !== undefined) return false
  return !/\bno-transform\b/i.test(headers['cache-control'] ?? '')
}

const isOfEvents = (headers: readonly string[]): boolean =>
  /^text\/event-stream\b/i.test(valueIn(headers, 'content-type') ?? '')

/** A longer body is not read to its end only to use the connection again. */
const readAtMost = 256 * 1024

function answerUnchanged(answer: IncomingMessage, exchange: Exchange, headers: readonly string[]): void {
  const isContent = (name: string) => name === 'content-length' || name === 'content-type'
  exchange.isUnchangedPage = /^text\/html/i.test(valueIn(headers, 'content-type') ?? '')
  exchange.answer(304, withWeakTag(withVary(headersWithout(headers, isContent))))
  answer.on('error', () => undefined) // Nobody waits for the body.
  if (Number(valueIn(headers, 'content-length') ?? Number.NaN) <= readAtMost) answer.resume()
  else answer.destroy()
}
