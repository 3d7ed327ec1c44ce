// Small files that were asked for lately, kept as answers that are ready to be sent.
import { Generations } from '../lib/generations.ts'
import { type Representation, wholeHeaders } from './representation.ts'

export interface HotFile {
  readonly weight: number
  readonly representation: Representation
  readonly body: Buffer
  /** Of the whole file, to a client without conditions. */
  readonly headers: string[]
}

/** Larger files are streamed. */
export const hotFileBytes = 256 * 1024
/** What an entry takes besides its body: headers, map slot, objects. */
const overhead = 2048

export class HotFiles {
  readonly #files: Generations<HotFile>

  constructor(budget: number) {
    this.#files = new Generations(budget)
  }

  get bytes(): number {
    return this.#files.weight
  }

  get(key: string): HotFile | undefined {
    return this.#files.get(key)
  }

  keep(key: string, representation: Representation, body: Buffer): void {
    const weight = body.length + 2 * key.length + overhead
    this.#files.set(key, { weight, representation, body, headers: wholeHeaders(representation, 'HIT') })
  }
}
