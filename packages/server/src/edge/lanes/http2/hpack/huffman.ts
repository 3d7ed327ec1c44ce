// The Huffman code of HPACK (RFC 7541, appendix B). It is canonical, so that all codes follow from their lengths. The
// decoder looks up four bits at a time in a table.

/** The length of each byte's code, in bits. The last length is that of the code for the end of the string. */
const lengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7,
  8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19,
  13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13,
  28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21,
  22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23,
  22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25,
  25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
]
const endOfString = 256
const bitsOfByte = 8

/**
 * Returns the code of each byte. In order of length, then of byte, each code is the one before plus one, with zeros
 * appended up to its length.
 */
function makeCodes(): number[] {
  const codes: number[] = []
  const order = lengths.map((_, symbol) => symbol).sort((a, b) => lengths[a]! - lengths[b]! || a - b)
  let code = 0
  let length = 0
  for (const symbol of order) {
    code *= 2 ** (lengths[symbol]! - length)
    length = lengths[symbol]!
    codes[symbol] = code++
  }
  return codes
}
const codes = makeCodes()

type Node = { symbol: number } | { zero: Node | undefined; one: Node | undefined; state: number }
type Inner = Extract<Node, { state: number }>

/** Returns the inner nodes of the code tree. The index of a node is a state of the decoder. */
function makeTree(): Inner[] {
  const root: Inner = { zero: undefined, one: undefined, state: 0 }
  const nodes = [root]
  for (const [symbol, code] of codes.entries()) {
    let node = root
    for (let bit = lengths[symbol]! - 1; bit > 0; bit--) {
      const side = (code >>> bit) & 1 ? 'one' : 'zero'
      node[side] ??= nodes[nodes.push({ zero: undefined, one: undefined, state: nodes.length }) - 1]!
      node = node[side] as Inner
    }
    node[code & 1 ? 'one' : 'zero'] = { symbol }
  }
  return nodes
}
const nodes = makeTree()

// An entry of the table has the next state, whether the string may end here (`mayEnd`), whether a byte is complete
// (`emits`), and that byte. `dead` is the entry for bits that are not valid.
const stateShift = 16
const mayEnd = 0x200
const emits = 0x100
const dead = 0xffff_ffff

/**
 * Returns the states after zero to seven one bits from the start of a code. A string may end in these states, because
 * its last byte is padded with ones.
 */
function makePaddingStates(): Set<Inner> {
  const states = new Set([nodes[0]!])
  let node = nodes[0]!
  for (let ones = 1; ones < bitsOfByte; ones++) {
    node = node.one as Inner
    states.add(node)
  }
  return states
}

function makeTable(): Uint32Array {
  const padding = makePaddingStates()
  const table = new Uint32Array(nodes.length * 16)
  for (const start of nodes)
    for (let nibble = 0; nibble < 16; nibble++)
      table[start.state * 16 + nibble] = entryOf(start, nibble, padding)
  return table
}

function entryOf(start: Inner, nibble: number, padding: Set<Inner>): number {
  let node = start
  let byte: number | undefined
  for (let bit = 3; bit >= 0; bit--) {
    const next = (nibble >> bit) & 1 ? node.one! : node.zero!
    if ('symbol' in next) {
      if (next.symbol === endOfString) return dead
      byte = next.symbol
      node = nodes[0]!
    } else node = next
  }
  const end = padding.has(node) ? mayEnd : 0
  return (node.state << stateShift) | end | (byte === undefined ? 0 : emits | byte)
}
const table = makeTable()

/** Decoding makes a string longer by at most this factor: the shortest code has five bits. */
const maxGrowth = bitsOfByte / 5
let scratch = Buffer.allocUnsafe(8192)

/** Decodes the bytes from `start` to `end`. Returns undefined if they are not a valid Huffman string. */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string | undefined {
  const most = Math.ceil((end - start) * maxGrowth)
  if (most > scratch.length) scratch = Buffer.allocUnsafe(2 * most)
  let state = 0
  let written = 0
  let entry = mayEnd
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    entry = table[(state << 4) | (byte >> 4)]!
    if (entry === dead) return undefined
    if ((entry & emits) !== 0) scratch[written++] = entry & 0xff
    state = entry >>> stateShift
    entry = table[(state << 4) | (byte & 15)]!
    if (entry === dead) return undefined
    if ((entry & emits) !== 0) scratch[written++] = entry & 0xff
    state = entry >>> stateShift
  }
  return (entry & mayEnd) === 0 ? undefined : scratch.toString('latin1', 0, written)
}

export function encodeHuffman(text: string): Buffer {
  const encoded: number[] = []
  /** Bits that do not fill a byte yet. `count` is their number. */
  let rest = 0
  let count = 0
  for (const byte of Buffer.from(text, 'latin1')) {
    // Multiplied instead of shifted: seven bits and a code of 30 bits are more than the 32 bits that a shift can
    // handle.
    let bits = rest * 2 ** lengths[byte]! + codes[byte]!
    count += lengths[byte]!
    while (count >= bitsOfByte) {
      count -= bitsOfByte
      const unit = 2 ** count
      encoded.push(Math.floor(bits / unit))
      bits %= unit
    }
    rest = bits
  }
  const padding = bitsOfByte - count
  if (count > 0) encoded.push((rest << padding) | ((1 << padding) - 1))
  return Buffer.from(encoded)
}
