// The framing of git's protocol: each line begins with its length in four hexadecimal digits.

/** Ends a list of lines. */
export const flush = '0000'

export const pktLine = (text: string): string =>
  (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text

/** The lines of a whole answer, without flushes. */
export function linesOf(answer: Buffer): string[] {
  const lines: string[] = []
  for (let at = 0; at + 4 <= answer.length; ) {
    const length = Number.parseInt(answer.toString('latin1', at, at + 4), 16)
    if (length >= 4) lines.push(answer.toString('utf8', at + 4, at + length).replace(/\n$/, ''))
    at += Math.max(length, 4)
  }
  return lines
}
