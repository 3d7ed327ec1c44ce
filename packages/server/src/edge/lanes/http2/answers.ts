// Makes the header blocks of answers for hot files. These blocks do not use the dynamic table, since node:http2
// encodes all other answers of the connection and does not see these blocks.

import { evaluateConditions } from '../../../lib/conditions.ts'
import { foldHeaders } from '../../../lib/fold-headers.ts'
import { strictTransport } from '../../../lib/platform-fields.ts'
import type { HotAnswer, SentFile } from '../sources.ts'
import { encodeField, encodeStatus } from './hpack/encoder.ts'
import type { LaneRequest } from './request.ts'

export function answerTo({ method, conditions }: LaneRequest, hot: SentFile): HotAnswer {
  if (evaluateConditions(conditions, hot.representation) === 'not-modified') return { status: 304, bytes: 0 }
  return { status: 200, bytes: method === 'HEAD' ? 0 : hot.body.length }
}

/** Returns the header block of an answer, without the date. */
export const headOf = (hot: SentFile, status: HotAnswer['status']): Buffer =>
  (status === 304 ? unchangedBlocks : wholeBlocks).of(hot)

/** Makes a header block once for each file, and keeps it. */
class Blocks {
  readonly #made = new WeakMap<SentFile, Buffer>()
  readonly #make: (hot: SentFile) => Buffer

  constructor(make: (hot: SentFile) => Buffer) {
    this.#make = make
  }

  of(hot: SentFile): Buffer {
    let block = this.#made.get(hot)
    if (block === undefined) {
      block = this.#make(hot)
      this.#made.set(hot, block)
    }
    return block
  }
}

const wholeBlocks = new Blocks(({ headers }) => blockOf(200, headers))
const unchangedBlocks = new Blocks(({ unchangedHeaders }) => blockOf(304, unchangedHeaders))

function blockOf(status: 200 | 304, headers: readonly string[]): Buffer {
  const folded = foldHeaders(headers)
  // A site's own Strict-Transport-Security header takes precedence.
  folded[strictTransport[0].toLowerCase()] ??= strictTransport[1]
  const fields = Object.entries(folded).flatMap(([name, value]) =>
    [value].flat().map(one => encodeField(name, String(one))),
  )
  return Buffer.concat([encodeStatus(status), ...fields])
}

let dateSecond = 0
let date: Buffer = Buffer.alloc(0)

/** Returns the part of a header block with the date. */
export function dateBlock(): Buffer {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = encodeField('date', new Date(second * 1000).toUTCString())
  }
  return date
}
