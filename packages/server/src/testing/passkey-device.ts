// A device with passkeys, for tests: it answers as a browser does, and can be told to answer wrongly.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { NewCredential, PasskeyAssertion, PasskeyCreation, PasskeyRequest } from '@svc/contract'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const hash = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

/** CBOR (RFC 8949) of what is needed here: small integers, texts, bytes and maps. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item as Buffer)])
  return Buffer.concat([head(5, value.size), ...entries])
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size])
  if (size < 256) return Buffer.from([(major << 5) | 24, size])
  return Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

const flags = { present: 1, verified: 4, hasCredential: 64 }

interface Quirks {
  origin?: string
  rpId?: string
  challenge?: string
  /** Whether the device has asked for a fingerprint, a face or a PIN. */
  verified?: boolean
  userHandle?: string
  format?: string
}

export class PasskeyDevice {
  readonly #origin: string
  readonly id = randomBytes(16)
  #owner = ''
  counter = 0

  constructor(dashboardUrl: string) {
    this.#origin = new URL(dashboardUrl).origin
  }

  create(options: PasskeyCreation, quirks: Quirks = {}): NewCredential {
    this.#owner = options.user.id
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const key = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    )
    const length = Buffer.from([0, this.id.length])
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, key])
    const authData = this.#authData(options.rp.id, flags.hasCredential, quirks, credential)
    const attestation = new Map<string, unknown>([
      ['fmt', quirks.format ?? 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    return {
      ...this.#ids(),
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, quirks).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  get(options: PasskeyRequest, quirks: Quirks = {}): PasskeyAssertion {
    this.counter++
    const clientData = this.#clientData('webauthn.get', options.challenge, quirks)
    const authData = this.#authData(options.rpId, 0, quirks)
    const signature = sign('sha256', Buffer.concat([authData, hash(clientData)]), privateKey)
    return {
      ...this.#ids(),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: quirks.userHandle ?? this.#owner,
      },
    }
  }

  #ids() {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key' } as const
  }

  #clientData(type: string, challenge: string, quirks: Quirks): Buffer {
    const data = { type, challenge: quirks.challenge ?? challenge, origin: quirks.origin ?? this.#origin }
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false }))
  }

  #authData(rpId: string, more: number, quirks: Quirks, credential = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const verified = quirks.verified === false ? 0 : flags.verified
    const said = Buffer.from([flags.present | verified | more])
    return Buffer.concat([hash(quirks.rpId ?? rpId), said, counter, credential])
  }
}
