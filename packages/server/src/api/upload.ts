// Reads the headers of an upload, before its body.
import type { IncomingHttpHeaders } from 'node:http'
import { limits } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import type { UploadOrigin } from '../core/deployments/upload.ts'
import { Fault } from '../lib/fault.ts'

/** Throws if the declared size is over the limit. No byte was read yet, so there is no record of the upload. */
export function checkDeclaredSize(headers: IncomingHttpHeaders): void {
  if (Number(headers['content-length'] ?? 0) > limits.tarballBytes)
    throw new Fault('payload_too_large', `The archive exceeds the ${formatBytes(limits.tarballBytes)} limit.`)
}

/** Returns what the headers say about the origin of the upload. Values that are not valid are left out. */
export const originOf = (headers: IncomingHttpHeaders): UploadOrigin => ({
  // Git abbreviates to no fewer than four digits.
  gitSha: matching(headers['x-svc-git-sha'], /^[0-9a-f]{4,64}$/i),
  cliVersion: matching(headers['x-svc-cli-version'], /^[\w.+/-]{1,50}$/),
  commitMessage: decoded(headers['x-svc-git-message']),
  commitAuthor: decoded(headers['x-svc-git-author']),
})

/** Characters of a commit's message or author that are kept. */
const wordsAtMost = 300

/** A header whose value is percent-encoded, since headers have no letters beyond ASCII. */
function decoded(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  try {
    const words = decodeURIComponent(header).replaceAll(/\p{Cc}+/gu, ' ')
    return [...words.trim()].slice(0, wordsAtMost).join('') || undefined
  } catch {
    return undefined
  }
}

function matching(header: string | string[] | undefined, pattern: RegExp): string | undefined {
  return typeof header === 'string' && pattern.test(header) ? header : undefined
}
