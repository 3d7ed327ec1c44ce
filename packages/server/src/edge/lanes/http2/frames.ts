// HTTP/2 frames (RFC 9113, 4 and 6): types, flags, and the header of nine bytes.

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const flags = {
  /** A flag of SETTINGS and PING. */
  ack: 1,
  /** A flag of HEADERS and DATA. */
  endStream: 1,
  endHeaders: 4,
  padded: 8,
  priority: 0x20,
} as const

export const headerBytes = 9
/**
 * The default limit for the payload of a frame. svcd does not raise it for clients, and sends no larger frames
 * itself.
 */
export const maxPayload = 16_384
/** The largest number of 31 bits, the size of flow-control windows and stream ids. */
export const max31 = 0x7fff_ffff

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

/** Writes the header of a frame at `at`, and returns where the payload begins. */
export function writeFrameHeader(
  into: Buffer,
  at: number,
  length: number,
  type: number,
  flag: number,
  id: number,
): number {
  into[at] = length >> 16
  into[at + 1] = length >> 8
  into[at + 2] = length
  into[at + 3] = type
  into[at + 4] = flag
  return into.writeUInt32BE(id, at + 5)
}

export function windowUpdate(id: number, by: number): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + 4)
  frame.writeUInt32BE(by, writeFrameHeader(frame, 0, 4, frameTypes.windowUpdate, 0, id))
  return frame
}

export function rstStream(id: number, code: number): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + 4)
  frame.writeUInt32BE(code, writeFrameHeader(frame, 0, 4, frameTypes.rstStream, 0, id))
  return frame
}

/** Returns DATA frames with `bytes`. */
export function dataFrames(id: number, bytes: Buffer, isLast: boolean): Buffer {
  const count = Math.max(1, Math.ceil(bytes.length / maxPayload))
  const frames = Buffer.allocUnsafe(count * headerBytes + bytes.length)
  for (let at = 0, from = 0; at < frames.length; ) {
    const to = Math.min(bytes.length, from + maxPayload)
    const flag = isLast && to === bytes.length ? flags.endStream : 0
    at = writeFrameHeader(frames, at, to - from, frameTypes.data, flag, id)
    at += bytes.copy(frames, at, from, to)
    from = to
  }
  return frames
}

/** Returns a GOAWAY frame, which tells the client that streams above `lastId` were not processed. */
export function goaway(lastId: number, code: number): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + 8)
  const at = writeFrameHeader(frame, 0, 8, frameTypes.goaway, 0, 0)
  frame.writeUInt32BE(code, frame.writeUInt32BE(lastId, at))
  return frame
}

export const payloadLength = (bytes: Buffer, at: number): number =>
  (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!

export const streamId = (bytes: Buffer, at: number): number => bytes.readUInt32BE(at + 5) & max31

export const setStreamId = (bytes: Buffer, at: number, id: number): void =>
  void bytes.writeUInt32BE(id, at + 5)
