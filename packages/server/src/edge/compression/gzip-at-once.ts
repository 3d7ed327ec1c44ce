// Compresses short bodies in one step, on the event loop. zlib's memory is kept and cleared between bodies: taking 256 KB from the
// system and giving it back takes longer than compressing a page. If a version of Node does not have what this needs, each body gets
// memory of its own.
import { constants, createGzip, type Gzip, gzipSync } from 'node:zlib'

const KB = 1024
/** A longer body would hold up other requests for too long. */
export const longestAtOnce = 32 * KB
/** At most what a body that does not compress becomes. */
const roomBytes = longestAtOnce + KB
/** Measured in docs/performance.md. */
export const gzipLevel = 5

interface Handle {
  writeSync(
    flush: number,
    from: Buffer,
    at: number,
    length: number,
    into: Buffer,
    to: number,
    room: number,
  ): void
  reset(): void
}

interface Internals {
  _handle?: Partial<Handle> | null
  /** After `writeSync`: the room that is left, and how many bytes were not read. */
  _writeState?: Uint32Array
}

let kept: Gzip | undefined
const room = Buffer.allocUnsafeSlow(roomBytes)

/** Compresses a body of at most `longestAtOnce` bytes. */
export function gzipAtOnce(body: Buffer): Buffer {
  kept ??= createGzip({ level: gzipLevel })
  const { _handle: handle, _writeState: state } = kept as unknown as Internals
  if (!handle?.writeSync || !handle.reset || state?.length !== 2) return gzipSync(body, { level: gzipLevel })
  handle.writeSync(constants.Z_FINISH, body, 0, body.length, room, 0, roomBytes)
  const [left, unread] = state as Uint32Array & [number, number]
  handle.reset()
  const isWhole = unread === 0 && left > 0 && left < roomBytes
  return isWhole ? Buffer.from(room.subarray(0, roomBytes - left)) : gzipSync(body, { level: gzipLevel })
}
