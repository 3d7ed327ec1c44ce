// git's pkt-line format: four hexadecimal digits of length, then the content; `0000` ends a section.
// https://git-scm.com/docs/protocol-common

export const flush = Buffer.from('0000')

/** One packet holds at most 65,520 bytes, its length included. */
const contentAtMost = 65_516

export function packet(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** Text for the person at the terminal, on the band that git shows as `remote: …`. */
export function* progressPackets(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += contentAtMost - 1)
    yield packet(Buffer.concat([Buffer.from([2]), bytes.subarray(at, at + contentAtMost - 1)]))
}

/** An empty packet of the same band: nothing is shown, and no proxy takes the connection for dead. */
export const stillThere = packet(Buffer.from([2]))
