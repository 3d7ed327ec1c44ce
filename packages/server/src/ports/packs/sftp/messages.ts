// The messages of SFTP, version 3, as OpenSSH speaks it: a length, a type, an id, and fields.

export const type = {
  ...{ init: 1, version: 2, open: 3, close: 4, read: 5, write: 6, opendir: 11, readdir: 12, remove: 13 },
  ...{ mkdir: 14, stat: 17, rename: 18, status: 101, handle: 102, data: 103, name: 104, attrs: 105 },
  extended: 200,
} as const

/** How a file is opened. */
export const flags = { read: 1, write: 2, create: 8, exclusive: 32 } as const

/** Codes of a status. All others are failures. */
export const code = { ok: 0, end: 1, missing: 2 } as const

const sizeFlag = 1
const permissionsFlag = 4

/** The attributes of a new file or directory: its mode. */
export const modeOf = (mode: number): Buffer => Buffer.concat([number(permissionsFlag), number(mode)])

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export function long(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

export function string(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([number(bytes.length), bytes])
}

/** Reads the fields of a message one after the other. Throws a RangeError beyond its end. */
export class Fields {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  number(): number {
    this.#at += 4
    return this.#bytes.readUInt32BE(this.#at - 4)
  }

  long(): number {
    this.#at += 8
    return Number(this.#bytes.readBigUInt64BE(this.#at - 8))
  }

  string(): Buffer {
    const length = this.number()
    if (this.#at + length > this.#bytes.length) throw new RangeError('A field goes beyond its message')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** Passes over the attributes of a file. Returns its size, if they tell it. */
  size(): number | undefined {
    const present = this.number()
    const size = (present & sizeFlag) !== 0 ? this.long() : undefined
    if ((present & 2) !== 0) this.#at += 8
    if ((present & permissionsFlag) !== 0) this.#at += 4
    if ((present & 8) !== 0) this.#at += 8
    if (present >= 0x8000_0000) for (let left = this.number() * 2; left > 0; left--) this.string()
    return size
  }
}
