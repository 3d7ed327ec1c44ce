// A strict push parser for tar. It reports only regular files and does not buffer their contents.
import { blockBytes, corrupt, cut, decodeHeader, isZero, type TarHeader } from './tar-header.ts'
import { applyPax, type PaxFields, sparse } from './tar-pax.ts'

interface TarFile {
  path: Buffer
  size: number
}

/** Paths and slices are valid only during the call. An error thrown by a handler is thrown by `write`. */
export interface TarHandlers {
  onFile(file: TarFile): void
  onData(slice: Buffer): void
  onFileEnd(): void
}

const maxMetaBytes = 64 * 1024
const maxEntries = 100_000

interface TarOptions {
  entriesAtMost?: number
}

type EntryKind = 'file' | 'pax' | 'global-pax' | 'long-name' | 'long-link' | 'no-body' | 'refused'

/** Links, devices, directories and FIFOs have no body, whatever their size field says. Unknown types are skipped. */
const kinds: Partial<Record<string, EntryKind>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  x: 'pax',
  X: 'pax',
  g: 'global-pax',
  L: 'long-name',
  K: 'long-link',
  '1': 'no-body',
  '2': 'no-body',
  '3': 'no-body',
  '4': 'no-body',
  '5': 'no-body',
  '6': 'no-body',
  S: 'refused',
}

/** The state of the parser: before a header, in a body, or after the two zero blocks. */
type State =
  | { in: 'header' }
  | { in: 'file' | 'skipped'; left: number; padding: number }
  | { in: 'meta'; kind: EntryKind; body: Buffer; filled: number; padding: number }
  | { in: 'end' }

export class TarParser {
  readonly #handlers: TarHandlers
  readonly #entriesAtMost: number
  readonly #block = Buffer.alloc(blockBytes)
  #blockFilled = 0
  #state: State = { in: 'header' }
  #zeroBlocks = 0
  #entries = 0
  #global: PaxFields = {}
  #local: PaxFields = {}
  #longName: Buffer | undefined
  /** Set after a PAX or long-name entry until the entry that it describes. */
  #describing = false

  constructor(handlers: TarHandlers, { entriesAtMost = maxEntries }: TarOptions = {}) {
    this.#handlers = handlers
    this.#entriesAtMost = entriesAtMost
  }

  write(chunk: Buffer) {
    let at = 0
    while (at < chunk.length && this.#state.in !== 'end') at += this.#take(chunk, at)
  }

  /** Throws if the archive ends in the middle of an entry. Missing end blocks are common and allowed. */
  end() {
    if (this.#state.in === 'end') return
    const complete = this.#state.in === 'header' && this.#blockFilled === 0 && !this.#describing
    if (!complete) throw corrupt('it ends in the middle of an entry')
  }

  /** Consumes a part of the chunk and returns its length. */
  #take(chunk: Buffer, at: number): number {
    const state = this.#state
    if (state.in === 'header') return this.#takeHeader(chunk, at)
    if (state.in === 'meta') return this.#takeMeta(state, chunk, at)
    if (state.in === 'end') return chunk.length - at
    const used = Math.min(state.left, chunk.length - at)
    state.left -= used
    if (state.in === 'file') this.#handlers.onData(chunk.subarray(at, at + used))
    if (state.left === 0) this.#endBody(state.in === 'file', state.padding)
    return used
  }

  #takeHeader(chunk: Buffer, at: number): number {
    if (this.#blockFilled === 0 && chunk.length - at >= blockBytes) {
      this.#readBlock(chunk.subarray(at, at + blockBytes))
      return blockBytes
    }
    const used = chunk.copy(this.#block, this.#blockFilled, at)
    this.#blockFilled += used
    if (this.#blockFilled === blockBytes) {
      this.#blockFilled = 0
      this.#readBlock(this.#block)
    }
    return used
  }

  #readBlock(block: Buffer) {
    if (isZero(block)) {
      if (++this.#zeroBlocks === 2) this.#state = { in: 'end' }
      return
    }
    // Tar programs disagree on what follows a single zero block, so the content would be ambiguous.
    if (this.#zeroBlocks > 0) throw corrupt('an entry follows a zero block')
    if (++this.#entries > this.#entriesAtMost) throw corrupt('it has more than 100,000 entries')
    const header = decodeHeader(block)
    this.#beginEntry(header, kinds[header.type])
  }

  #beginEntry(header: TarHeader, kind: EntryKind | undefined) {
    if (kind === 'refused') throw sparse()
    if (kind === 'pax' || kind === 'global-pax' || kind === 'long-name' || kind === 'long-link') {
      return this.#beginMeta(kind, header.size())
    }
    const path = this.#local.path ?? this.#longName ?? this.#global.path ?? header.path
    const statedSize = this.#local.size ?? this.#global.size
    this.#local = {}
    this.#longName = undefined
    this.#describing = false
    // V7 has no type for directories. A directory is a name that ends in a slash.
    if (kind === 'no-body' || (kind === 'file' && path.at(-1) === 0x2f)) return
    const size = statedSize ?? header.size()
    if (kind === 'file') this.#handlers.onFile({ path, size })
    this.#beginBody(kind === 'file', size)
  }

  #beginBody(isFile: boolean, size: number) {
    if (size === 0) return this.#endBody(isFile, 0)
    this.#state = { in: isFile ? 'file' : 'skipped', left: size, padding: paddingOf(size) }
  }

  #endBody(isFile: boolean, padding: number) {
    if (isFile) this.#handlers.onFileEnd()
    this.#state = padding > 0 ? { in: 'skipped', left: padding, padding: 0 } : { in: 'header' }
  }

  #beginMeta(kind: EntryKind, size: number) {
    if (size > maxMetaBytes) throw corrupt('an extended header is larger than 64 KB')
    if (kind !== 'global-pax') this.#describing = true
    this.#state = { in: 'meta', kind, body: Buffer.alloc(size), filled: 0, padding: paddingOf(size) }
    if (size === 0) this.#endMeta(kind, Buffer.alloc(0), 0)
  }

  #takeMeta(state: Extract<State, { in: 'meta' }>, chunk: Buffer, at: number): number {
    const used = chunk.copy(state.body, state.filled, at)
    state.filled += used
    if (state.filled === state.body.length) this.#endMeta(state.kind, state.body, state.padding)
    return used
  }

  #endMeta(kind: EntryKind, body: Buffer, padding: number) {
    if (kind === 'pax') applyPax(body, this.#local)
    if (kind === 'global-pax') applyPax(body, this.#global)
    if (kind === 'long-name') this.#longName = cut(body)
    this.#endBody(false, padding)
  }
}

function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes
}
