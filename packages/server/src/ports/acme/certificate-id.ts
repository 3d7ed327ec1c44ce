// The name that an authority gives to one of its certificates for renewal information (RFC 9773, section 4.1).
import { X509Certificate } from 'node:crypto'

/** The DER of the object identifier 2.5.29.35, of the authority's key. */
const keyIdentifier = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x23])

/** `undefined` if the certificate does not name the authority's key. */
export function certificateId(chain: string): string | undefined {
  const { raw, serialNumber } = new X509Certificate(chain)
  const at = raw.indexOf(keyIdentifier)
  if (at === -1) return undefined
  // OCTET STRING { SEQUENCE { [0] key …, each with a length of one byte, since keys are named by a hash.
  const [string, , sequence, , tag, length = 0] = raw.subarray(at + keyIdentifier.length)
  if (string !== 0x04 || sequence !== 0x30 || tag !== 0x80 || length > 0x7f) return undefined
  const start = at + keyIdentifier.length + 6
  const key = raw.subarray(start, start + length)
  const serial = Buffer.from(serialNumber, 'hex')
  // A positive INTEGER whose first bit is set begins with a zero byte.
  const signed = (serial[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.alloc(1), serial]) : serial
  return `${key.toString('base64url')}.${signed.toString('base64url')}`
}
