// An HTTP/2 client for tests. It sends any bytes that a test gives it, and records what the server's frames mean.
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Dialled, dial } from '../../testing/manners.ts'
import {
  frameTypes,
  headerBytes,
  payloadLength,
  preface,
  streamId,
  windowUpdate,
  writeFrameHeader,
} from '../frames.ts'
import { Decoder } from '../hpack/decoder.ts'
import { encodeLiterally } from '../hpack/encoder.ts'
import { makeField } from '../hpack/field.ts'

export function frame(type: number, flag: number, id: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(headerBytes)
  writeFrameHeader(header, 0, payload.length, type, flag, id)
  return Buffer.concat([header, payload])
}

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

export const settings = (entries: [id: number, value: number][] = []): Buffer =>
  frame(
    frameTypes.settings,
    0,
    0,
    Buffer.concat(entries.map(([id, value]) => Buffer.concat([Buffer.from([id >> 8, id]), uint32(value)]))),
  )
export const settingsAck = frame(frameTypes.settings, 1, 0)
export const rstStream = (id: number, code = 8): Buffer => frame(frameTypes.rstStream, 0, id, uint32(code))
export const ping = (text: string): Buffer => frame(frameTypes.ping, 0, 0, Buffer.from(text))
export const start = Buffer.concat([preface, settings()])

export type Fields = readonly (readonly [name: string, value: string])[]

export const blockOf = (fields: Fields): Buffer =>
  encodeLiterally(fields.map(([name, value]) => makeField(name, value)))

export const headers = (id: number, fields: Fields, flag = 5): Buffer =>
  frame(frameTypes.headers, flag, id, blockOf(fields))

export interface StreamSeen {
  status: string
  headers: Record<string, string>
  bytes: number
  /** How the stream ended: `end`, or `reset` with the error code. Empty if it has not ended. */
  end: string
}

/** Headers that differ from answer to answer, and are not recorded. */
const varying = new Set(['date', 'x-svc-request-id'])

export class RawClient {
  readonly socket: Socket
  readonly streams = new Map<number, StreamSeen>()
  /** The bodies of the answers, a character for each byte. */
  readonly contents = new Map<number, string>()
  readonly pings: string[] = []
  /** The server's latest GOAWAY, or the first one with an error: a server that is closing without an error may still meet one. */
  goaway: { code: number; lastId: number } | undefined
  isClosed = false
  /** Whether the server has ended its side of the connection. */
  hasEnded = false
  /** How many SETTINGS frames the server has acknowledged. */
  acknowledged = 0
  /** Whether the client acknowledges the server's SETTINGS as soon as they come. */
  acknowledges = true
  /** The first violation of HTTP/2 by the server, such as DATA beyond the windows. */
  violation: string | undefined
  /** How many bytes of DATA the server may still send on the connection. */
  window = 65_535
  /** How many bytes of DATA the server may send on a new stream. */
  streamWindow = 65_535
  readonly #streamWindows = new Map<number, number>()
  /** By how much the server has enlarged its windows, by stream. */
  readonly #granted = new Map<number, number>()
  readonly #decoder = new Decoder()
  #rest: Buffer = Buffer.alloc(0)
  #changed: (() => void)[] = []

  /** Closes the connection with a reset. */
  readonly reset: () => void

  private constructor({ socket, reset }: Dialled) {
    this.socket = socket
    this.reset = reset
    this.socket
      .on('data', chunk => this.#read(chunk))
      .on('error', () => undefined)
      .on('end', () => {
        this.hasEnded = true
        this.#wakeWaiting()
      })
      .on('close', () => {
        this.hasEnded = true
        this.isClosed = true
        this.#wakeWaiting()
      })
  }

  static async open(port: number, isSecure = false): Promise<RawClient> {
    return new RawClient(await dial(port, isSecure, ['h2']))
  }

  /** Opens a connection, and waits until the server has read its beginning. */
  static async begin(port: number, beginning: Buffer = start): Promise<RawClient> {
    const client = await RawClient.open(port)
    onTestFinished(() => client.close())
    client.send(beginning)
    await client.roundTrip()
    return client
  }

  send(...frames: Buffer[]): void {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(frames))
  }

  /** Returns a WINDOW_UPDATE frame, and expects that the server uses at most this window. */
  grant(id: number, by: number): Buffer {
    if (id === 0) this.window += by
    else this.#streamWindows.set(id, this.#windowOf(id) + by)
    return windowUpdate(id, by)
  }

  /** Resolves when the condition holds, or when `isOver` is true. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.isOver) await new Promise<void>(resolve => this.#changed.push(resolve))
  }

  async closed(): Promise<void> {
    await this.until(() => false)
  }

  /** Resolves when the server has read everything that was sent before, or when `isOver` is true. */
  async roundTrip(): Promise<void> {
    const text = `round${String(this.pings.length).padStart(3, '0')}`
    this.send(ping(text))
    await this.until(() => this.pings.includes(text))
  }

  /** Whether the connection is closed, or the server has sent GOAWAY with an error. */
  get isOver(): boolean {
    return this.isClosed || (this.goaway !== undefined && this.goaway.code !== 0)
  }

  /** By how much the server has enlarged its window of a stream, or with 0 of the connection. */
  granted(id: number): number {
    return this.#granted.get(id) ?? 0
  }

  close(): void {
    this.socket.destroy()
  }

  #windowOf(id: number): number {
    return this.#streamWindows.get(id) ?? this.streamWindow
  }

  #wakeWaiting(): void {
    for (const resolve of this.#changed.splice(0)) resolve()
  }

  #read(chunk: Buffer): void {
    let bytes = Buffer.concat([this.#rest, chunk])
    while (bytes.length >= headerBytes && bytes.length >= headerBytes + payloadLength(bytes, 0)) {
      const size = headerBytes + payloadLength(bytes, 0)
      this.#note(bytes[3]!, bytes[4]!, streamId(bytes, 0), bytes.subarray(headerBytes, size))
      bytes = bytes.subarray(size)
    }
    this.#rest = bytes
    this.#wakeWaiting()
  }

  #note(type: number, flag: number, id: number, payload: Buffer): void {
    if (type === frameTypes.headers) this.#noteHeaders(id, flag, payload)
    else if (type === frameTypes.data) this.#noteData(id, flag, payload)
    else if (type === frameTypes.rstStream) this.#stream(id).end ||= `reset ${payload.readUInt32BE(0)}`
    else if (type === frameTypes.windowUpdate)
      this.#granted.set(id, this.granted(id) + payload.readUInt32BE(0))
    else if (type === frameTypes.ping && flag === 1) this.pings.push(payload.toString())
    else if (type === frameTypes.settings && flag === 0) {
      if (this.acknowledges) this.send(settingsAck)
    } else if (type === frameTypes.settings) this.acknowledged++
    else if (type === frameTypes.goaway && !this.goaway?.code)
      this.goaway = { lastId: payload.readUInt32BE(0), code: payload.readUInt32BE(4) }
  }

  #noteHeaders(id: number, flag: number, payload: Buffer): void {
    const stream = this.#stream(id)
    const fields = this.#decoder.decode(payload)
    if (fields === undefined || (flag & 4) === 0) this.violation ??= `an unreadable header block on ${id}`
    if (stream.end !== '') this.violation ??= `HEADERS after the end of ${id}`
    for (const { name, value } of fields ?? [])
      if (name === ':status') stream.status += value
      else if (!varying.has(name)) stream.headers[name] = value
    if ((flag & 1) !== 0) stream.end = 'end'
  }

  #noteData(id: number, flag: number, payload: Buffer): void {
    const stream = this.#stream(id)
    if (stream.end === 'end') this.violation ??= `DATA after the end of ${id}`
    stream.bytes += payload.length
    this.contents.set(id, (this.contents.get(id) ?? '') + payload.toString('latin1'))
    this.window -= payload.length
    const left = this.#windowOf(id) - payload.length
    this.#streamWindows.set(id, left)
    if (left < 0) this.violation ??= `DATA beyond the window of stream ${id}`
    if (this.window < 0) this.violation ??= 'DATA beyond the window of the connection'
    if ((flag & 1) !== 0) stream.end = 'end'
  }

  #stream(id: number): StreamSeen {
    let stream = this.streams.get(id)
    if (stream === undefined) {
      stream = { status: '', headers: {}, bytes: 0, end: '' }
      this.streams.set(id, stream)
    }
    return stream
  }
}
