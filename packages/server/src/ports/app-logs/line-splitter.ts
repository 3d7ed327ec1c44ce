// Splits a stream of chunks into lines. A line that is too long becomes several.

/** Longer lines are split, so that a line without an end cannot fill the memory. */
export const lineBytesAtMost = 8 * 1024

const newline = 0x0a
const carriageReturn = 0x0d

export class LineSplitter {
  #rest: Buffer = Buffer.alloc(0)

  /** The lines that the chunk completes, without line ends. They are views of the chunk. */
  push(chunk: Buffer): Buffer[] {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const lines: Buffer[] = []
    let start = 0
    for (;;) {
      const found = data.indexOf(newline, start)
      const end = found === -1 ? data.length : found
      while (withoutReturn(data.subarray(start, end)).length > lineBytesAtMost) {
        const cut = characterStart(data, start + lineBytesAtMost)
        lines.push(data.subarray(start, cut))
        start = cut
      }
      if (found === -1) break
      lines.push(withoutReturn(data.subarray(start, end)))
      start = end + 1
    }
    // Copy it, so that a few bytes do not keep the whole chunk in memory.
    this.#rest = Buffer.from(data.subarray(start))
    return lines
  }

  /** The text after the last line end, if any. */
  end(): Buffer | undefined {
    const rest = this.#rest
    this.#rest = Buffer.alloc(0)
    return rest.length === 0 ? undefined : withoutReturn(rest)
  }
}

/** The start of the UTF-8 character at `at`. `at` itself if the bytes are not valid UTF-8. */
function characterStart(data: Buffer, at: number): number {
  for (let i = at; i > at - 4; i--) if (((data[i] ?? 0) & 0xc0) !== 0x80) return i
  return at
}

const withoutReturn = (line: Buffer): Buffer =>
  line[line.length - 1] === carriageReturn ? line.subarray(0, -1) : line
