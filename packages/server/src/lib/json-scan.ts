// Finds a few values in a JSON object while its bytes arrive. It keeps only those values, so its memory does not grow with
// the document. It never throws: the receiver of the document validates it.

/** A value and its position in the document. */
interface ScannedValue {
  start: number
  end: number
  /** The value as JSON text. `undefined` if it is too long to keep. */
  json: string | undefined
}

const quote = 34
const comma = 44
const colon = 58
const backslash = 92
const openers: Record<number, 'object' | 'array'> = { 123: 'object', 91: 'array' }
const closers = new Set([125, 93])
const isSpace = (byte: number): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9

/** The longest key that is read. Every wanted key is shorter, even with all its letters escaped. */
const keyBytes = 256
const valueBytes = 16 * 1024

/** The bytes that matter in nested values: quotes, and brackets, which change the depth. */
const aQuote = 2
const marks = new Int8Array(256)
marks[quote] = aQuote
for (const opener of Object.keys(openers)) marks[Number(opener)] = 1
for (const closer of closers) marks[closer] = -1

/** Collects bytes from a stream of chunks, up to a limit. */
class Taken {
  readonly start: number
  /** The number of objects and arrays that were open where the value began. */
  readonly depth: number
  readonly path: string
  readonly #atMost: number
  #parts: Buffer[] = []
  #size = 0
  /** The position in the current chunk where the value continues. */
  from: number

  constructor(path: string, depth: number, start: number, from: number, atMost: number) {
    this.path = path
    this.depth = depth
    this.start = start
    this.from = from
    this.#atMost = atMost
  }

  take(chunk: Buffer, to: number): void {
    this.#size += to - this.from
    if (this.#size <= this.#atMost) this.#parts.push(chunk.subarray(this.from, to))
    else this.#parts = []
    this.from = 0
  }

  text(): string | undefined {
    return this.#size <= this.#atMost ? Buffer.concat(this.#parts).toString() : undefined
  }
}

export class JsonScan {
  readonly #wanted: ReadonlySet<string>
  readonly #parents: ReadonlySet<string>
  readonly #found = new Map<string, ScannedValue>()
  #offset = 0
  #depth = 0
  #inString = false
  #escaped = false
  /** Keys at this depth and deeper are not read. */
  #nestedFrom: number | undefined
  /** By depth: the path of the object whose keys are read, with a trailing dot. */
  readonly #prefixes: (string | undefined)[] = []
  #awaitsKey = false
  #key: Taken | undefined
  /** The path of the next value, if it is wanted. */
  #path: string | undefined
  #value: Taken | undefined
  /** The value is a number, `true`, `false` or `null`, which has no closing character. */
  #isBare = false

  /** The document began with `{`. */
  isObject = false
  /** The position of the object's closing brace. */
  rootEnd: number | undefined
  /** Something follows the object. */
  hasMore = false
  /** A wanted key that is repeated or written in another case. Another parser may use another value for it. */
  ambiguous: string | undefined

  /** Paths such as `usage` or `response.usage`. */
  constructor(wanted: readonly string[]) {
    this.#wanted = new Set(wanted)
    this.#parents = new Set(wanted.flatMap(path => (path.includes('.') ? [path.split('.')[0]!] : [])))
  }

  get(path: string): ScannedValue | undefined {
    return this.#found.get(path)
  }

  /** The value of `path`. `undefined` if it is missing, too long, or not JSON. */
  read(path: string): unknown {
    return parsed(this.#found.get(path)?.json)
  }

  push(chunk: Buffer): void {
    const { length } = chunk
    let i = 0
    while (i < length) {
      if (this.#inString) i = this.#passString(chunk, i)
      else if (this.#nestedFrom !== undefined && this.#depth >= this.#nestedFrom)
        i = this.#passNested(chunk, i)
      else this.#step(chunk, i++)
    }
    this.#key?.take(chunk, length)
    this.#value?.take(chunk, length)
    this.#offset += length
  }

  /** Returns the position after the string, or the end of the chunk. */
  #passString(chunk: Buffer, from: number): number {
    let i = from
    if (this.#escaped) {
      this.#escaped = false
      i++
    }
    for (; i < chunk.length; i++) {
      const byte = chunk[i]!
      if (byte === backslash) {
        if (i + 1 === chunk.length) this.#escaped = true
        else i++
      } else if (byte === quote) {
        this.#inString = false
        this.#endString(chunk, i + 1)
        return i + 1
      }
    }
    return chunk.length
  }

  /** Skips nested values, in which only strings and brackets matter. Returns the position after them. */
  #passNested(chunk: Buffer, from: number): number {
    let depth = this.#depth
    let i = from
    for (; i < chunk.length; i++) {
      const mark = marks[chunk[i]!]!
      if (mark === 0) continue
      if (mark === aQuote) break
      depth += mark
      if (depth < this.#nestedFrom!) break
    }
    const isQuote = i < chunk.length && chunk[i] === quote
    const hasLeft = depth < this.#nestedFrom!
    this.#depth = hasLeft ? depth + 1 : depth
    if (isQuote) this.#inString = true
    if (hasLeft) this.#step(chunk, i)
    return isQuote || hasLeft ? i + 1 : i
  }

  #step(chunk: Buffer, i: number): void {
    const byte = chunk[i]!
    const opened = openers[byte]
    if (isSpace(byte)) this.#endBare(chunk, i)
    else if (this.rootEnd !== undefined) this.hasMore = true
    else if (byte === quote) this.#beginString(i)
    else if (opened !== undefined) this.#open(opened, i)
    else if (closers.has(byte)) this.#close(chunk, i)
    else if (byte === comma) {
      this.#endBare(chunk, i)
      this.#path = undefined
      this.#awaitsKey = this.#prefixes[this.#depth] !== undefined
    } else if (byte !== colon) this.#begin(i, true)
  }

  #beginString(i: number): void {
    this.#inString = true
    if (this.#awaitsKey) this.#key = new Taken('', this.#depth, this.#offset + i, i, keyBytes)
    else this.#begin(i, false)
  }

  #begin(i: number, isBare: boolean): void {
    const path = this.#path
    if (path === undefined) return
    this.#path = undefined
    if (!this.#wanted.has(path)) return
    this.#value = new Taken(path, this.#depth, this.#offset + i, i, valueBytes)
    this.#isBare = isBare
  }

  #endString(chunk: Buffer, end: number): void {
    if (this.#key !== undefined) {
      this.#key.take(chunk, end)
      this.#readKey(this.#key.text())
      this.#key = undefined
    } else if (this.#value?.depth === this.#depth) this.#endValue(chunk, end)
  }

  #readKey(written: string | undefined): void {
    this.#awaitsKey = false
    const key = parsed(written)
    const prefix = this.#prefixes[this.#depth]
    if (typeof key !== 'string' || prefix === undefined) return
    const path = prefix + key
    // Some parsers ignore case. U+017F is another lower case of S.
    const folded = prefix + key.toUpperCase().toLowerCase()
    if (this.#wanted.has(folded) && (folded !== path || this.#found.has(path))) this.ambiguous = folded
    this.#path = path
  }

  #open(kind: 'object' | 'array', i: number): void {
    const path = this.#path
    this.#begin(i, false)
    this.#path = undefined
    this.#depth++
    if (this.#depth === 1) this.isObject = kind === 'object'
    const isRead = kind === 'object' && (this.#depth === 1 || (path !== undefined && this.#parents.has(path)))
    this.#awaitsKey = isRead
    if (isRead) this.#prefixes[this.#depth] = this.#depth === 1 ? '' : `${path}.`
    else this.#nestedFrom = this.#depth
  }

  #close(chunk: Buffer, i: number): void {
    this.#endBare(chunk, i)
    this.#awaitsKey = false
    this.#path = undefined
    this.#depth--
    this.#nestedFrom = undefined
    if (this.#value?.depth === this.#depth) this.#endValue(chunk, i + 1)
    if (this.#depth <= 0) this.rootEnd = this.#offset + i
  }

  #endBare(chunk: Buffer, end: number): void {
    if (this.#isBare && this.#value?.depth === this.#depth) this.#endValue(chunk, end)
  }

  #endValue(chunk: Buffer, end: number): void {
    const value = this.#value!
    value.take(chunk, end)
    this.#found.set(value.path, { start: value.start, end: this.#offset + end, json: value.text() })
    this.#value = undefined
    this.#isBare = false
  }
}

function parsed(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined // Not JSON. The receiver of the document reports that.
  }
}
