// Sealing: values are encrypted with a key that has an id, and tied to their place, so that in the database they
// can be neither read nor changed nor swapped.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { Secret } from './secret.ts'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export interface Sealed {
  /** Which key sealed it. */
  key_id: string
  /** Nonce, ciphertext and tag, base64. */
  sealed: string
}

/** The value cannot be had: its key is not here, or it is damaged, or it was moved from another place. */
export class SealBroken extends Error {}

export class SealKey {
  /** Follows from the key and says nothing about it. */
  readonly id: string
  readonly #bytes: Buffer

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.id = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
  }

  static fresh = (): SealKey => new SealKey(randomBytes(32))

  /** Undefined for what is not 32 bytes in base64. */
  static parse(base64: string): SealKey | undefined {
    const bytes = Buffer.from(base64, 'base64')
    return bytes.length === 32 ? new SealKey(bytes) : undefined
  }

  get base64(): Secret {
    return new Secret(this.#bytes.toString('base64'))
  }

  /** A secret for another purpose, from which the key cannot be found. */
  derive(purpose: string): Secret {
    return new Secret(createHmac('sha256', this.#bytes).update(purpose).digest('base64url'))
  }

  seal(value: string, place: readonly string[]): Sealed {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, this.#bytes, nonce).setAAD(associated(this.id, place))
    const parts = [nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return { key_id: this.id, sealed: Buffer.concat(parts).toString('base64') }
  }

  open({ sealed }: Sealed, place: readonly string[]): string {
    const bytes = Buffer.from(sealed, 'base64')
    const end = Math.max(nonceBytes, bytes.length - tagBytes)
    try {
      const decipher = createDecipheriv(algorithm, this.#bytes, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(associated(this.id, place)).setAuthTag(bytes.subarray(end))
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]).toString()
    } catch (cause) {
      throw new SealBroken('damaged, or moved here from another place', { cause })
    }
  }
}

const associated = (keyId: string, place: readonly string[]): Buffer =>
  Buffer.from(JSON.stringify(['v1', keyId, ...place]))

/** The keys at hand. `read` answers them, the current one first, and the same array while nothing changed. */
export class Keyring {
  readonly #read: () => readonly SealKey[]
  /** Keys once known stay known: a value may have been read before it was sealed anew. */
  readonly #known = new Map<string, SealKey>()
  #keys: readonly SealKey[] = []

  constructor(read: () => readonly SealKey[]) {
    this.#read = read
    this.#refresh()
  }

  /** The key that seals, as of now. */
  get current(): SealKey {
    this.#refresh()
    const [current] = this.#keys
    if (!current) throw new Error('there is no key to seal with')
    return current
  }

  /** The keys that are kept, the current one first. */
  get keys(): readonly SealKey[] {
    this.#refresh()
    return this.#keys
  }

  open(value: Sealed, place: readonly string[]): string {
    if (!this.#known.has(value.key_id)) this.#refresh()
    const key = this.#known.get(value.key_id)
    if (!key) throw new SealBroken(`sealed with the key ${value.key_id}, which is not here`)
    return key.open(value, place)
  }

  #refresh(): void {
    const keys = this.#read()
    if (keys === this.#keys) return
    this.#keys = keys
    for (const key of keys) this.#known.set(key.id, key)
  }
}
