// Parses the Range header (RFC 9110, 14). A header with several ranges is ignored, so the client gets the whole file.

/** The bytes from `start` up to, but not including, `end`. */
interface ByteRange {
  start: number
  end: number
}

/**
 * Returns the range that the header demands of a file of `size` bytes. Returns `undefined` if there is no header or if it
 * must be ignored: another unit, malformed, or several ranges.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const positions = header === undefined ? undefined : readPositions(header)
  if (positions === undefined) return undefined
  const [first, last] = positions
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Number(last)
    return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

const unit = 'bytes='

/** Returns the texts before and after the dash, each digits or empty. `undefined` if the header has another form. */
function readPositions(header: string): [first: string, last: string] | undefined {
  if (header.slice(0, unit.length).toLowerCase() !== unit) return undefined
  const dash = header.indexOf('-', unit.length)
  if (dash < 0) return undefined
  const first = header.slice(unit.length, dash).trim()
  const last = header.slice(dash + 1).trim()
  return isDigits(first) && isDigits(last) ? [first, last] : undefined
}

const isDigits = (text: string): boolean => !/\D/.test(text)
