// Builds the headers for a file in the chosen encoding.
import { isCompressible } from '../core/deployments/archive/compressible.ts'
import type { HeaderChange } from '../core/deployments/rules/headers.ts'
import type { ChosenFile } from './choose.ts'
import { contentType } from './content-types.ts'
import { cacheControl } from './freshness.ts'
import type { Route } from './route.ts'

export interface Representation {
  readonly status: 200 | 404
  readonly size: number
  readonly etag: string
  readonly modified: number
  /** Headers of every answer with this file, including 304. */
  readonly common: readonly string[]
  /** Further headers of answers with content. */
  readonly content: readonly string[]
  /** Whether the content is an HTML page. */
  readonly html: boolean
}

/** Returns the representation of a file. `changes` are what the deployment's `_headers` demands for the requested path. */
export function represent(
  route: Route,
  { status, file, stored, coding, immutable }: ChosenFile,
  changes: HeaderChange[] = [],
): Representation {
  // The ETag is a hash of the bytes that are sent, so it is a strong validator and differs between encodings.
  const etag = `"${stored.sha256.slice(0, 32)}"`
  const { modified, deployment } = route
  const validators = status === 200 ? ['ETag', etag, 'Last-Modified', new Date(modified).toUTCString()] : []
  const common = [
    ...validators,
    'Cache-Control',
    status === 200 ? cacheControl(file.path, immutable) : 'public, max-age=0, must-revalidate',
    'X-Content-Type-Options',
    'nosniff',
    'X-Svc-Deployment',
    deployment.id,
  ]
  if (coding !== undefined || isCompressible(file)) common.push('Vary', 'Accept-Encoding')
  const content = ['Content-Type', contentType(file.path)]
  if (coding !== undefined) content.push('Content-Encoding', coding)
  if (status === 200) content.push('Accept-Ranges', 'bytes')
  for (const change of changes)
    if (status === 200 || !lifetimes.has(change.name)) applyChange(change, common, content)
  // These two changes come last, so that no rule can let search engines index a preview or caches store a protected page.
  if (route.noindex) applyChange({ name: 'X-Robots-Tag', value: 'noindex' }, common, content)
  if (route.guarded) keepPrivate(common)
  // A rule's name is in lower case.
  const typeAt = content.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-type')
  const html = typeAt >= 0 && /^text\/html\b/i.test(content[typeAt + 1] ?? '')
  return { status, size: stored.size, etag, modified, common, content, html }
}

/**
 * Applies a change to `common` or `content`. The first value of a rule replaces the platform's header, and further values are
 * appended. Names from rules are in lower case, so they differ from the platform's names.
 */
function applyChange(change: HeaderChange, common: string[], content: string[]): void {
  const list = change.name === 'content-type' ? content : common
  const at = list.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === change.name.toLowerCase())
  if ('remove' in change) {
    if (at >= 0) list.splice(at, 2)
  } else if (at < 0) list.push(change.name, change.value)
  else if (list[at] === change.name) list[at + 1] = `${list[at + 1]}, ${change.value}`
  else list.splice(at, 2, change.name, change.value)
}

/** Headers about freshness. Rules cannot set these on a 404, because the next deployment may have the file. */
const lifetimes = new Set([
  'cache-control',
  'cdn-cache-control',
  'cloudflare-cdn-cache-control',
  'expires',
  'netlify-cdn-cache-control',
  'surrogate-control',
])

/** Headers that `keepPrivate` replaces. It keeps the value of Vary and adds `Cookie`. */
const forCaches = new Set(['cache-control', 'cdn-cache-control', 'surrogate-control', 'vary'])

/** Changes the headers of a protected answer so that no cache stores it. */
export function keepPrivate(headers: string[]): void {
  const vary = ['Cookie']
  for (let i = headers.length - 2; i >= 0; i -= 2) {
    const name = headers[i]!.toLowerCase()
    if (!forCaches.has(name)) continue
    const [, value = ''] = headers.splice(i, 2)
    if (name === 'vary') vary.unshift(value)
  }
  headers.push('Cache-Control', 'private, no-store', 'Vary', vary.join(', '))
}

/** Returns the headers of an answer without content, such as a 304. */
export const contentlessHeaders = (of: Representation, cache: 'HIT' | 'MISS'): string[] => [
  ...of.common,
  'X-Svc-Cache',
  cache,
]

/** Returns the headers of an answer with the whole content. */
export function wholeHeaders(of: Representation, cache: 'HIT' | 'MISS'): string[] {
  return [...of.content, 'Content-Length', String(of.size), ...of.common, 'X-Svc-Cache', cache]
}
