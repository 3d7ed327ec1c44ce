// Makes the header blocks of answers for hot files. These blocks do not use the dynamic table, since node:http2
// encodes all other answers of the connection and does not see these blocks.

import { evaluateConditions } from '../../../lib/conditions.ts'
import { foldHeaders } from '../../../lib/fold-headers.ts'
import { strictTransport } from '../../../lib/platform-fields.ts'
import type { AnsweredFile, HotAnswer } from '../sources.ts'
import { encodeField, encodeFields, encodeStatus } from './hpack/encoder.ts'
import type { LaneRequest } from './request.ts'

export function answerTo({ method, conditions }: LaneRequest, file: AnsweredFile): HotAnswer {
  if (evaluateConditions(conditions, file.representation) === 'not-modified') return { status: 304, bytes: 0 }
  return { status: 200, bytes: method === 'HEAD' ? 0 : file.representation.size }
}

/** Returns the header block of an answer, without the date. */
export const headOf = (file: AnsweredFile, status: HotAnswer['status']): Buffer =>
  (status === 304 ? unchangedBlocks : wholeBlocks).of(file)

/** Makes a header block once for each file, and keeps it. */
class Blocks {
  readonly #made = new WeakMap<AnsweredFile, Buffer>()
  readonly #make: (file: AnsweredFile) => Buffer

  constructor(make: (file: AnsweredFile) => Buffer) {
    this.#make = make
  }

  of(file: AnsweredFile): Buffer {
    let block = this.#made.get(file)
    if (block === undefined) {
      block = this.#make(file)
      this.#made.set(file, block)
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
  return Buffer.concat([encodeStatus(status), encodeFields(folded)])
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
