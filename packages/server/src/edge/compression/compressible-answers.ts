// Which answers of apps the edge compresses, and what their header fields are then.
import type { Coding } from '../../core/deployments/archive/variants.ts'
import { headersWithout, membersIn, valueIn } from '../../lib/raw-headers.ts'

/** A shorter answer fits into one packet, compressed or not. */
const leastBytes = 1024

/** Types that compress well, besides `text/*` and those whose name ends with a suffix below. */
const types = new Set(
  (
    'application/json application/json5 application/jsonl application/x-ndjson application/ndjson application/json-seq ' +
    'application/javascript application/x-javascript application/ecmascript application/wasm application/graphql ' +
    'application/xml application/xml-dtd application/yaml application/x-yaml application/toml application/sql ' +
    'application/rtf application/x-tar application/x-www-form-urlencoded application/vnd.ms-fontobject ' +
    'font/ttf font/otf font/collection image/bmp image/x-icon image/vnd.microsoft.icon model/gltf-binary'
  ).split(' '),
)
const suffixes = ['+json', '+xml', '+yaml', '+text', '+json-seq']

/** Fields that would no longer be true of a compressed answer, or that say that it is already encoded. */
const preventing = [
  'content-encoding',
  'content-range',
  'content-md5',
  'digest',
  'content-digest',
  'repr-digest',
]

/** Answers without a body, or with a part of one. */
const unfitStatuses = new Set([204, 205, 206, 304])

/** Whether a body of this length is worth compressing. `undefined`: the length is not known yet. */
export const isLongEnough = (length: number | undefined): boolean =>
  length === undefined || length >= leastBytes

/** Whether the edge may compress an answer with this head, whatever its length is. */
export function isCompressible(status: number, headers: readonly string[]): boolean {
  if (status < 200 || unfitStatuses.has(status) || !isTextual(valueIn(headers, 'content-type'))) return false
  if (preventing.some(name => valueIn(headers, name) !== undefined)) return false
  return !membersIn(headers, 'cache-control').includes('no-transform')
}

/** Whether content of this type becomes much smaller. */
function isTextual(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  const end = contentType.indexOf(';')
  const type = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
  return type.startsWith('text/') || types.has(type) || suffixes.some(suffix => type.endsWith(suffix))
}

/** Adds Accept-Encoding to Vary, unless it is there. */
export function withVary(headers: readonly string[]): string[] {
  const names = membersIn(headers, 'vary')
  if (names.includes('accept-encoding') || names.includes('*')) return [...headers]
  const before: string[] = []
  const others = headersWithout(headers, (name, value) => name === 'vary' && before.push(value) > 0)
  return [...others, 'Vary', [...before, 'Accept-Encoding'].filter(Boolean).join(', ')]
}

/**
 * Returns the header fields of the compressed answer. Its length is not known, and parts of it cannot be requested. The
 * same content can be encoded differently the next time, so its ETag is weak.
 */
export function compressedHeaders(headers: readonly string[], coding: Coding): string[] {
  const kept = headersWithout(headers, name => name === 'content-length' || name === 'accept-ranges')
  return [...withWeakTag(withVary(kept)), 'Content-Encoding', coding]
}

/** Makes a strong ETag weak. */
export const withWeakTag = (headers: readonly string[]): string[] =>
  headers.map((text, i) => (i % 2 === 1 && isTagName(headers[i - 1]!) && isStrong(text) ? `W/${text}` : text))

const isTagName = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'etag'
const isStrong = (etag: string): boolean => etag.startsWith('"')

/**
 * Whether the client has the content of this strong ETag under the weak ETag that the edge gave it with a compressed answer.
 */
export function holdsCompressed(ifNoneMatch: string | undefined, headers: readonly string[]): boolean {
  const etag = ifNoneMatch === undefined ? undefined : valueIn(headers, 'etag')
  if (etag === undefined || !isStrong(etag) || etag.includes(',')) return false
  return ifNoneMatch!.split(',').some(member => member.trim() === `W/${etag}`)
}
