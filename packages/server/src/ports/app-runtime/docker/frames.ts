// What a container wrote, as the engine sends it: frames of one stream each, every line with the time it was written.
import type { OutputStream } from '../../app-logs/port.ts'

export interface Frame {
  stream: OutputStream
  /** RFC 3339 with nanoseconds, as the engine says it. */
  at: string
  /** A line with its end, or a part of one. */
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

/** As the engine takes it: unix seconds with nine decimals. */
export function unixTime(at: string): string {
  const [second = '', fraction = ''] = at.replace(/Z$/, '').split('.')
  return `${Date.parse(`${second}Z`) / 1000}.${fraction.padEnd(9, '0')}`
}

/** Nanoseconds since the epoch. */
export const nanosOf = (at: string): bigint => BigInt(unixTime(at).replace('.', ''))
