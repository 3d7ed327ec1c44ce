// Encrypts values for the database (AES-256-GCM). A value is bound to its place (table, row, column) as associated data, so
// that it can be neither read, nor changed, nor moved to another place.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { Secret } from './secret.ts'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export interface Sealed {
  /** The id of the key that encrypted the value. */
  key_id: string
  /** Nonce, ciphertext and tag, base64. */
  sealed: string
}

/** The value cannot be decrypted: the key is missing, or the value is damaged or was moved from another place. */
export class SealBroken extends Error {}

export class SealKey {
  /** A hash of the key. It reveals nothing about the key. */
  readonly id: string
  readonly #bytes: Buffer

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.id = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
  }

  static fresh = (): SealKey => new SealKey(randomBytes(32))

  /** `undefined` if the text is not 32 bytes in base64. */
  static parse(base64: string): SealKey | undefined {
    const bytes = Buffer.from(base64, 'base64')
    return bytes.length === 32 ? new SealKey(bytes) : undefined
  }

  get base64(): Secret {
    return new Secret(this.#bytes.toString('base64'))
  }

  /** Derives a secret for another purpose. The key cannot be computed from it. */
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

/** The available keys. `read` returns them with the current key first, and the same array as long as nothing changed. */
export class Keyring {
  readonly #read: () => readonly SealKey[]
  /** Includes keys that were removed since: a value may have been read before it was encrypted with the new key. */
  readonly #known = new Map<string, SealKey>()
  #keys: readonly SealKey[] = []

  constructor(read: () => readonly SealKey[]) {
    this.#read = read
    this.#refresh()
  }

  /** The key that encrypts new values. */
  get current(): SealKey {
    this.#refresh()
    const [current] = this.#keys
    if (!current) throw new Error('there is no key to seal with')
    return current
  }

  /** All keys, the current one first. */
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
