// Watches a stream of server-sent events pass, and reads the token counts in it. Bytes are never held back, but for one
// case: if the gateway asked for the counts and the client did not, the event that only brings them is left out.
// An event is held until its end then, which delays nothing: a client does nothing with half an event.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
import { readUsage, type TokenCounts } from '../../core/ai/token-counts.ts'
import { JsonScan } from '../../lib/json-scan.ts'

/** Where providers put the counts: in chat completions and completions, in the Responses API, and in messages. */
export const usagePaths = ['usage', 'response.usage', 'message.usage'] as const

const newline = 10
const carriageReturn = 13
const field = Buffer.from('data:')
/** The event that only brings counts is much smaller. A larger one is passed on as it comes. */
const heldAtMost = 64 * 1024
const nothing = Buffer.alloc(0)

export class EventStream {
  readonly #leavesOutUsage: boolean
  #scan = newScan()
  #hasData = false
  /** How many bytes of the current line were read, up to the length of `data:`. */
  #linePlace = 0
  #isData = true
  #isBlank = true
  #held: Buffer[] = []
  #heldBytes = 0

  counts: TokenCounts | undefined
  /** The number of events with data. Each holds about one token. */
  events = 0

  constructor(leavesOutUsage: boolean) {
    this.#leavesOutUsage = leavesOutUsage
  }

  /** Whether an event has begun and not ended. */
  get isInsideEvent(): boolean {
    return this.#hasData || this.#linePlace > 0
  }

  /** Returns what to pass on now. */
  push(chunk: Buffer): Buffer {
    const passed: Buffer[] = []
    let from = 0
    for (let i = 0; i < chunk.length; ) {
      const end = chunk.indexOf(newline, i)
      const to = end < 0 ? chunk.length : end
      this.#readLine(chunk, i, to)
      i = to + 1
      if (end < 0 || !this.#endLine()) continue
      const bringsUsageOnly = this.#endEvent()
      if (!this.#leavesOutUsage) continue
      const isSmall = this.#heldBytes + i - from <= heldAtMost
      if (!bringsUsageOnly || !isSmall) passed.push(...this.#held, chunk.subarray(from, i))
      this.#held = []
      this.#heldBytes = 0
      from = i
    }
    if (!this.#leavesOutUsage) return chunk
    if (from < chunk.length) this.#hold(chunk.subarray(from), passed)
    return passed.length === 0 ? nothing : passed.length === 1 ? passed[0]! : Buffer.concat(passed)
  }

  /** Returns the bytes that were still held when the answer ended. */
  end(): Buffer {
    if (this.#hasData) this.#endEvent()
    const rest = Buffer.concat(this.#held)
    this.#held = []
    return rest
  }

  #hold(rest: Buffer, passed: Buffer[]): void {
    this.#held.push(rest)
    this.#heldBytes += rest.length
    if (this.#heldBytes <= heldAtMost) return
    passed.push(...this.#held)
    this.#held = []
  }

  #readLine(chunk: Buffer, from: number, to: number): void {
    let i = from
    for (; i < to && this.#linePlace < field.length; i++) {
      const byte = chunk[i]!
      if (byte !== carriageReturn) this.#isBlank = false
      if (byte !== field[this.#linePlace]) this.#isData = false
      this.#linePlace++
    }
    if (i < to && this.#isData) {
      this.#hasData = true
      this.#scan.push(chunk.subarray(i, to))
    }
  }

  /** Returns whether the line was the blank one that ends an event. */
  #endLine(): boolean {
    const isBlank = this.#isBlank
    this.#linePlace = 0
    this.#isData = true
    this.#isBlank = true
    return isBlank
  }

  /** Returns whether the event brought counts and nothing else. */
  #endEvent(): boolean {
    if (!this.#hasData) return false
    const scan = this.#scan
    this.#scan = newScan()
    this.#hasData = false
    this.events++
    const before = this.counts
    for (const path of usagePaths) this.counts = readUsage(scan.read(path), this.counts)
    const choices = scan.read('choices')
    return this.counts !== before && Array.isArray(choices) && choices.length === 0
  }
}

const newScan = (): JsonScan => new JsonScan([...usagePaths, 'choices'])
