// Checks signatures for the stand-in: calculates AWS Signature Version 4 from the received bytes and compares.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const accessKeyId = 'AKIDTESTTESTTEST'
export const secretAccessKey = 'secret/with+odd=characters'
export const region = 'eu-test-1'

const skewMs = 15 * 60_000

/** Returns the S3 error code for a bad request. `undefined` if the request is fine. */
export function refusalOf(req: IncomingMessage, body: Buffer): string | undefined {
  const parsed =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      req.headers.authorization ?? '',
    )
  if (parsed === null) return 'AccessDenied'
  const [, key, day, inRegion, names = '', signature = ''] = parsed
  if (key !== accessKeyId) return 'InvalidAccessKeyId'
  if (inRegion !== region) return 'AuthorizationHeaderMalformed'
  const stamp = String(req.headers['x-amz-date'] ?? '')
  if (!/^\d{8}T\d{6}Z$/.test(stamp) || !stamp.startsWith(day!)) return 'AccessDenied'
  if (Math.abs(timeOf(stamp) - Date.now()) > skewMs) return 'RequestTimeTooSkewed'
  const signedNames = names.split(';')
  const mustBeSigned = Object.keys(req.headers).filter(name => name === 'host' || name.startsWith('x-amz-'))
  if (mustBeSigned.some(name => !signedNames.includes(name))) return 'AccessDenied'
  const bodyHash = String(req.headers['x-amz-content-sha256'])
  if (bodyHash !== createHash('sha256').update(body).digest('hex')) return 'XAmzContentSHA256Mismatch'
  const expected = signatureOf(req, signedNames, stamp, bodyHash)
  if (!timingSafeEqual(Buffer.from(signature, 'hex'), expected)) return 'SignatureDoesNotMatch'
  return undefined
}

function signatureOf(req: IncomingMessage, names: string[], stamp: string, bodyHash: string): Buffer {
  const [path = '', query = ''] = req.url!.split('?')
  // The client must send the query as it is signed: sorted, and every parameter with an equals sign.
  const sorted = query === '' ? '' : query.split('&').sort().join('&')
  let canonical = `${req.method}\n${path}\n${sorted}\n`
  for (const name of names) canonical += `${name}:${String(req.headers[name] ?? '').trim()}\n`
  canonical += `\n${names.join(';')}\n${bodyHash}`
  const scope = `${stamp.slice(0, 8)}/${region}/s3/aws4_request`
  const hashed = createHash('sha256').update(canonical).digest('hex')
  let key = Buffer.from(`AWS4${secretAccessKey}`)
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest()
  return createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${hashed}`).digest()
}

function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
