// Time-based one-time passwords (RFC 6238) with the values that all authenticator apps know: SHA-1, 6 digits, 30 seconds.
import { createHmac, timingSafeEqual } from 'node:crypto'

const stepMs = 30_000
const digits = 6
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The place that an encrypted secret is bound to. It cannot be decrypted for another account. */
export const placeOfTotp = (accountId: string): string[] => ['totp', accountId]

export const stepAt = (now: number): number => Math.floor(now / stepMs)

/** The code of one time step (RFC 4226, section 5.3). */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac[mac.length - 1]! & 15
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step whose code this is: the present one, or the one before or after, because clocks differ. */
export function matchingStep(secret: Buffer, code: string, now: number): number | undefined {
  const given = Buffer.from(code)
  let found: number | undefined
  for (const step of [-1, 0, 1].map(difference => stepAt(now) + difference)) {
    const right = Buffer.from(codeAt(secret, step))
    if (given.length === right.length && timingSafeEqual(given, right)) found = step
  }
  return found
}

/** As people type a secret into an app: without padding. */
export function toBase32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += base32[(value >> (bits - 5)) & 31]
  }
  return bits > 0 ? text + base32[(value << (5 - bits)) & 31] : text
}

/** What a QR code tells the app. */
export function totpUri(secret: Buffer, { issuer, login }: { issuer: string; login: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(login)}`
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
}
