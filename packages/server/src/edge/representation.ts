// A file in the encoding that was chosen, and every header that goes with it.
import { isCompressible } from '../core/archive/compressible.ts'
import type { ChosenFile } from './choose.ts'
import { cacheControl } from './freshness.ts'
import { contentType } from './media.ts'
import type { Route } from './route.ts'

export interface Representation {
  readonly status: 200 | 404
  readonly size: number
  readonly etag: string
  readonly modified: number
  /** Headers of every answer about it, a 304 included. */
  readonly common: readonly string[]
  /** Headers of answers that carry its content. */
  readonly content: readonly string[]
}

export function represent(route: Route, { status, file, stored, coding }: ChosenFile): Representation {
  // The bytes' own hash: strong, and another one for each encoding.
  const etag = `"${stored.sha256.slice(0, 32)}"`
  const { modified, deployment } = route
  const validators = status === 200 ? ['ETag', etag, 'Last-Modified', new Date(modified).toUTCString()] : []
  const common = [
    ...validators,
    'Cache-Control',
    status === 200 ? cacheControl(file.path) : 'public, max-age=0, must-revalidate',
    'X-Content-Type-Options',
    'nosniff',
    'X-Svc-Deployment',
    deployment.id,
  ]
  if (coding !== undefined || isCompressible(file)) common.push('Vary', 'Accept-Encoding')
  if (route.noindex) common.push('X-Robots-Tag', 'noindex')
  const content = ['Content-Type', contentType(file.path)]
  if (coding !== undefined) content.push('Content-Encoding', coding)
  if (status === 200) content.push('Accept-Ranges', 'bytes')
  return { status, size: stored.size, etag, modified, common, content }
}

/** Of an answer with the whole content. */
export function wholeHeaders(of: Representation, cache: 'HIT' | 'MISS'): string[] {
  return [...of.content, 'Content-Length', String(of.size), ...of.common, 'X-Svc-Cache', cache]
}
