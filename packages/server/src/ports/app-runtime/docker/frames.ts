// Parses the output of a container as the engine sends it: in frames, each of one stream, with the time of its line.
import type { OutputStream } from '../../app-logs/port.ts'

export interface Frame {
  stream: OutputStream
  /** The time in RFC 3339 with nanoseconds, as the engine sends it. */
  at: string
  /** A line with its line end, or a part of a line. */
  content: Buffer
}

const headBytes = 8
const space = 0x20

export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): Frame[] {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const frames: Frame[] = []
    let start = 0
    while (data.length - start >= headBytes) {
      const end = start + headBytes + data.readUInt32BE(start + 4)
      if (end > data.length) break
      const stamped = data.subarray(start + headBytes, end)
      const cut = stamped.indexOf(space)
      frames.push({
        stream: data[start] === 2 ? 'stderr' : 'stdout',
        at: stamped.toString('latin1', 0, cut),
        content: stamped.subarray(cut + 1),
      })
      start = end
    }
    this.#rest = Buffer.from(data.subarray(start))
    return frames
  }
}

/** The time in the engine's format for requests: Unix seconds with nine decimals. */
export function unixTime(at: string): string {
  const [second = '', fraction = ''] = at.replace(/Z$/, '').split('.')
  return `${Date.parse(`${second}Z`) / 1000}.${fraction.padEnd(9, '0')}`
}

/** Nanoseconds since the epoch. */
export const nanosOf = (at: string): bigint => BigInt(unixTime(at).replace('.', ''))
