// Makes random sessions of HTTP/2 clients from a seed, for differential tests. They have requests that a browser
// could send, split into frames and encoded in various ways, and hostile frames in between.
import { frameTypes, max31, streamId, windowUpdate } from '../frames.ts'
import { encodeField } from '../hpack/encoder.ts'
import { blockOf, type Fields, frame, ping, rstStream, settings, uint32 } from './raw-client.ts'
import { encodings, host } from './testbed.ts'

export interface Script {
  frames: Buffer[]
  /** Streams that the client opens. The server must answer or reset each of them, unless the connection ends. */
  asked: number[]
  /** Streams that the client resets. How much of their answers comes depends on timing. */
  resetByClient: Set<number>
  /** Whether some frames may come too late for their stream, so that a server may refuse or ignore them. */
  isLate: boolean
  /** The largest initial window of a stream in the client's SETTINGS, and at least the default. */
  streamWindow: number
  granted: { id: number; by: number }[]
}

/** Returns a generator of pseudo-random numbers from 0 to 1 (Mulberry32). The same seed gives the same numbers. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const badFields: Fields[number][] = [
  ['Upper', 'x'],
  ['connection', 'close'],
  ['te', 'gzip'],
  [':path', '/'],
  [':status', '200'],
  ['content-length', '5'],
  ['content-length', '0'],
  ['host', 'other.example.test'],
  ['x', 'a\0b'],
  ['x', 'a\nb'],
  ['x', ' a'],
  ['x', 'a\t'],
  ['', 'x'],
  ['a b', 'c'],
  ['transfer-encoding', 'chunked'],
  ['expect', '100-continue'],
  ['upgrade', 'h2c'],
]

export class ScriptMaker {
  readonly #random: () => number
  readonly #paths: readonly string[]
  readonly #etags: readonly string[]
  /** The probability of something hostile, from 0 to 1. */
  readonly #hostility: number
  /** About how many entries the client has added to its dynamic table. */
  #indexed = 0
  #id = 1
  readonly #frames: Buffer[] = []
  /** The streams of the requests so far. */
  readonly #asked: number[] = []

  constructor(seed: number, paths: readonly string[], etags: readonly string[], hostility: number) {
    this.#random = randomFrom(seed)
    this.#paths = paths
    this.#etags = etags
    this.#hostility = hostility
  }

  make(): Script {
    const frames = this.#frames
    frames.push(this.#firstSettings())
    const count = 1 + this.#below(12)
    for (let i = 0; i < count; i++) this.#isHostile() ? this.#hostile() : this.#ordinary()
    return { frames, ...readBack(frames) }
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most)
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!
  }

  #chance(of: number): boolean {
    return this.#random() < of
  }

  #isHostile(): boolean {
    return this.#chance(this.#hostility)
  }

  #firstSettings(): Buffer {
    const entries: [number, number][] = []
    if (this.#chance(0.3)) entries.push([4, this.#pick([0, 10, 16_384, 100_000, 1 << 20])])
    if (this.#chance(0.3)) entries.push([1, this.#pick([4096, 65_536, 4096, 65_536, 100, 0])])
    if (this.#chance(0.1)) entries.push([2, 0], [3, 100], [6, 262_144])
    if (this.#chance(0.1)) entries.push([this.#pick([0x0a0a, 9, 8]), 1])
    if (this.#isHostile() && this.#chance(0.2))
      entries.push(
        this.#pick([
          [2, 2],
          [4, 0x8000_0000],
          [5, 1],
          [9, 7],
        ]),
      )
    return settings(entries)
  }

  #ordinary(): void {
    const [frames, asked] = [this.#frames, this.#asked]
    const kind = this.#random()
    if (kind < 0.78) this.#request()
    else if (kind < 0.84) frames.push(ping(`ping${String(this.#below(1e4)).padStart(4, '0')}`))
    else if (kind < 0.92) {
      const id = asked.length === 0 || this.#chance(0.5) ? 0 : this.#pick(asked)
      const by = this.#pick([1, 1000, 100_000])
      frames.push(windowUpdate(id, by))
    } else if (kind < 0.95)
      frames.push(frame(frameTypes.priority, 0, this.#id + 2 * this.#below(4), priority(0)))
    else if (kind < 0.97)
      frames.push(frame(this.#pick([0x10, 0x20, 0xfa]), this.#below(256), 0, Buffer.alloc(this.#below(30))))
    else if (asked.length > 0) frames.push(rstStream(this.#pick(asked)))
  }

  #request(): void {
    const [frames, asked] = [this.#frames, this.#asked]
    const id = this.#id
    this.#id += 2 * (1 + this.#below(2))
    let block = this.#encode(this.#fields())
    if (this.#isHostile() && this.#chance(0.2)) block = this.#spoil(block)
    const isBody = this.#isHostile() && this.#chance(0.2)
    let flag = isBody ? 4 : 5
    let head: Buffer = Buffer.alloc(0)
    let tail: Buffer = Buffer.alloc(0)
    if (this.#chance(0.1)) {
      flag |= 8
      tail = Buffer.alloc(this.#below(20))
      head = Buffer.from([this.#isHostile() && this.#chance(0.2) ? 255 : tail.length])
    }
    if (this.#chance(0.1)) {
      flag |= 0x20
      head = Buffer.concat([head, priority(this.#isHostile() && this.#chance(0.2) ? id : 0)])
    }
    asked.push(id)
    if (this.#chance(0.15)) {
      const cut = this.#below(block.length)
      frames.push(frame(1, flag & ~4, id, Buffer.concat([head, block.subarray(0, cut), tail])))
      this.#continue(id, block.subarray(cut))
    } else frames.push(frame(1, flag, id, Buffer.concat([head, block, tail])))
    if (isBody && this.#chance(0.7)) frames.push(frame(0, this.#pick([0, 1]), id, Buffer.from('data')))
    // A second HEADERS frame has the trailers.
    if (isBody && this.#chance(0.3)) frames.push(frame(1, 5, id, blockOf([['x-last', 'y']])))
  }

  #continue(id: number, block: Buffer): void {
    const frames = this.#frames
    if (this.#isHostile() && this.#chance(0.2)) frames.push(ping('between!'))
    const parts = this.#isHostile() && this.#chance(0.3) ? this.#below(14) : 1 + this.#below(3)
    for (let part = 1; part < parts; part++) frames.push(frame(9, 0, id))
    const target = this.#isHostile() && this.#chance(0.1) ? id + 2 : id
    frames.push(frame(9, 4, target, block))
  }

  #fields(): Fields {
    const path = this.#chance(0.85)
      ? this.#pick(this.#paths)
      : this.#pick(['/none', '/small.txt?a', '/docs', '/docs/'])
    const fields: (readonly [string, string])[] = [
      [':method', this.#chance(0.9) ? 'GET' : 'HEAD'],
      [':scheme', 'https'],
      [':path', path],
      [':authority', host],
      ['user-agent', `agent ${this.#below(3)}`],
      ['accept-encoding', this.#pick(encodings)],
    ]
    if (this.#chance(0.25))
      fields.push(['if-none-match', this.#pick([...this.#etags, '"x"', '*', `W/${this.#etags[0]}, "y"`, ''])])
    if (this.#chance(0.1))
      fields.push([
        'if-modified-since',
        this.#pick(['Sat, 31 Jan 2026 12:30:15 GMT', 'Sat, 31 Jan 2026 12:30:14 GMT', 'never']),
      ])
    if (this.#chance(0.1)) fields.push(['cookie', 'a=b'], ['cookie', 'c=d'])
    if (this.#chance(0.1)) fields.push(['te', 'trailers'])
    if (this.#chance(0.05)) fields.push(['range', 'bytes=0-3'])
    if (this.#chance(0.05)) fields.push(['host', host])
    if (this.#chance(0.03)) fields.push(['x-long', 'y'.repeat(this.#below(12_000))])
    return this.#isHostile() && this.#chance(0.4) ? this.#distort(fields) : fields
  }

  #distort(fields: Fields): Fields {
    const distorted = [...fields]
    const kind = this.#random()
    if (kind < 0.5) distorted.splice(this.#below(distorted.length + 1), 0, this.#pick(badFields))
    else if (kind < 0.6) distorted.splice(this.#below(4), 1)
    else if (kind < 0.65) distorted.reverse()
    else if (kind < 0.7) distorted.push(distorted[this.#below(distorted.length)]!)
    else if (kind < 0.8)
      distorted[0] = [':method', this.#pick(['POST', 'get', 'CONNECT', 'PURGE', '', 'G T'])]
    else if (kind < 0.85) distorted[1] = [':scheme', this.#pick(['http', 'ftp', '', 'HTTPS'])]
    else if (kind < 0.95)
      distorted[2] = [
        ':path',
        this.#pick(['', '*', 'x', '/a b', '/#a', '//', '/\xff', '/..%2f', 'https://x.test/']),
      ]
    else
      distorted[3] = [
        ':authority',
        this.#pick(['', 'a b', 'other.example.test', `${host}:1`, 'u@x', '[::1]']),
      ]
    return distorted
  }

  /** Encodes each field with or without an entry in the dynamic table, and adds references to entries. */
  #encode(fields: Fields): Buffer {
    const parts = fields.map(([name, value]) => {
      if (name === '' || this.#chance(0.3)) return blockOf([[name, value]])
      const short = encodeField(name, value)
      if (this.#chance(0.4)) return short
      this.#indexed++
      return withIndexing(short)
    })
    // A reference to an entry of the dynamic table. The entry may not exist.
    if (this.#indexed > 0 && this.#isHostile() && this.#chance(0.3))
      parts.push(Buffer.from([0x80 | (62 + this.#below(Math.min(60, this.#indexed + 1)))]))
    if (this.#chance(0.05)) parts.unshift(Buffer.from([0x20]), Buffer.from([0x3f, 0xe1, 0x1f]))
    return Buffer.concat(parts)
  }

  #spoil(block: Buffer): Buffer {
    const kind = this.#below(3)
    if (kind === 0)
      return Buffer.concat([
        block,
        this.#pick([[0x80], [0xff, 0xff], [0x3f], [0x20], [0x41], [0xfe]].map(list => Buffer.from(list))),
      ])
    if (kind === 1) return block.subarray(0, this.#below(block.length))
    const spoilt = Buffer.from(block)
    spoilt[this.#below(block.length)]! ^= 1 << this.#below(8)
    return spoilt
  }

  #hostile(): void {
    const [frames, asked] = [this.#frames, this.#asked]
    const anyId = () => this.#pick([...asked, this.#id, this.#id + 4, 0, 2, Math.max(1, this.#id - 2)])
    const kind = this.#below(9)
    if (kind === 0) frames.push(rstStream(anyId(), this.#below(16)))
    else if (kind === 1)
      frames.push(frame(8, 0, anyId(), uint32(this.#pick([0, 0x7fff_ffff, 0x8000_0001, 1]))))
    else if (kind === 2) frames.push(frame(2, 0, anyId(), priority(anyId())))
    else if (kind === 3) frames.push(frame(0, this.#pick([0, 1, 9]), anyId(), Buffer.from('data')))
    else if (kind === 4) frames.push(frame(1, 5, anyId(), this.#encode(this.#fields())))
    else if (kind === 5) frames.push(frame(9, this.#pick([0, 4]), anyId(), Buffer.from([0x82])))
    else if (kind === 6)
      frames.push(
        frame(
          this.#pick([4, 5, 6, 7, 3, 8, 2]),
          this.#pick([0, 1]),
          this.#pick([0, anyId()]),
          Buffer.alloc(this.#pick([0, 4, 5, 6, 8, 9])),
        ),
      )
    else if (kind === 7)
      frames.push(
        frame(this.#below(10), this.#below(256), anyId(), Buffer.alloc(this.#pick([0, 10, 16_384, 16_385]))),
      )
    else frames.push(settings([[this.#pick([1, 3, 4, 5]), this.#pick([0, 100, 4096, 65_535, 20_000])]]))
  }
}

/** Reads the random frames, and returns the parts of the script that depend on them. */
function readBack(frames: readonly Buffer[]): Omit<Script, 'frames'> {
  const asked: number[] = []
  const resetByClient = new Set<number>()
  const granted: Script['granted'] = []
  let isLate = false
  let streamWindow = 65_535
  for (const bytes of frames) {
    const [type, id] = [bytes[3], streamId(bytes, 0)]
    // HEADERS open a stream only if the id is odd and higher than those before.
    if (type === frameTypes.headers && id % 2 === 1 && id > (asked.at(-1) ?? 0)) asked.push(id)
    else if (type === frameTypes.headers || type === frameTypes.data) isLate = true
    else if (type === frameTypes.rstStream) resetByClient.add(id)
    else if (type === frameTypes.windowUpdate && bytes.length === 13) {
      const by = bytes.readUInt32BE(9) & max31
      granted.push({ id, by })
      if (by === 0 || by === max31) isLate = true
    } else if (type === frameTypes.settings)
      for (let at = 9; at + 6 <= bytes.length; at += 6)
        if (bytes.readUInt16BE(at) === 4) streamWindow = Math.max(streamWindow, bytes.readUInt32BE(at + 2))
  }
  return { asked, resetByClient, granted, isLate, streamWindow }
}

const priority = (dependsOn: number): Buffer => Buffer.concat([uint32(dependsOn), Buffer.from([15])])

/** Turns a literal without indexing into one with indexing, whose index has six bits instead of four. */
function withIndexing(literal: Buffer): Buffer {
  const first = literal[0]!
  if (first < 15) return Buffer.concat([Buffer.from([0x40 | first]), literal.subarray(1)])
  return Buffer.concat([Buffer.from([0x40 | (15 + literal[1]!)]), literal.subarray(2)])
}
