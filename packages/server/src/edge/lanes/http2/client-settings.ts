// Reads the client's SETTINGS (RFC 9113, 6.5), as far as the lane's answers depend on them.
import { max31 } from './frames.ts'
import { tableBytes } from './hpack/decoder.ts'

const entryBytes = 6
/** The most settings that node:http2 accepts in one frame, by its option `maxSettings`. */
const mostEntries = 16

const ids = {
  headerTableSize: 1,
  enablePush: 2,
  initialWindowSize: 4,
  maxFrameSize: 5,
  enableConnect: 8,
  noPriorities: 9,
} as const

/** The valid values of a setting. Settings that are not listed may have any value. */
const bounds = new Map<number, [least: number, most: number]>([
  [ids.enablePush, [0, 1]],
  [ids.initialWindowSize, [0, max31]],
  [ids.maxFrameSize, [16_384, 0xff_ffff]],
  [ids.enableConnect, [0, 1]],
  [ids.noPriorities, [0, 1]],
])
/** nghttp2 may refuse these settings after the client's first SETTINGS frame. */
const onlyFirst: readonly number[] = [ids.enableConnect, ids.noPriorities]

export class ClientSettings {
  /** The window of each new stream, in bytes, by the latest SETTINGS. */
  initialWindow = 65_535
  /** The window by the latest SETTINGS that node:http2 has acknowledged, and then by each later one. */
  #windows = [this.initialWindow]
  #isFirst = true

  /** The window that may be used. Clients may refuse what exceeds the former window until they have an acknowledgement. */
  get usableWindow(): number {
    return this.#windows.length === 1 ? this.#windows[0]! : Math.min(...this.#windows)
  }

  /** To be called when node:http2 acknowledges a SETTINGS frame. */
  acknowledge(): void {
    if (this.#windows.length > 1) this.#windows.shift()
  }

  /**
   * Reads the payload of a SETTINGS frame. Returns false if the lane cannot answer with these settings, or if
   * node:http2 may refuse them.
   */
  read(payload: Buffer): boolean {
    if (payload.length % entryBytes !== 0 || payload.length > mostEntries * entryBytes) return false
    for (let at = 0; at < payload.length; at += entryBytes) {
      const id = payload.readUInt16BE(at)
      const value = payload.readUInt32BE(at + 2)
      const [least, most] = bounds.get(id) ?? [0, Number.MAX_SAFE_INTEGER]
      if (value < least || value > most || (onlyFirst.includes(id) && !this.#isFirst)) return false
      // A smaller table has to be confirmed in the next header block, and only node:http2 does that.
      if (id === ids.headerTableSize && value < tableBytes) return false
      if (id === ids.initialWindowSize) this.initialWindow = value
    }
    this.#isFirst = false
    this.#windows.push(this.initialWindow)
    return true
  }
}
