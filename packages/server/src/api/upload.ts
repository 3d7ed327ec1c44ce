// What the headers of an upload say before its body is read.
import type { IncomingHttpHeaders } from 'node:http'
import { limits } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import type { UploadOrigin } from '../core/deployments/deployments.ts'
import { Fault } from '../lib/fault.ts'

/** Refused before a byte is read, and so without a record. */
export function checkDeclaredSize(headers: IncomingHttpHeaders): void {
  if (Number(headers['content-length'] ?? 0) > limits.tarballBytes)
    throw new Fault('payload_too_large', `The archive exceeds the ${formatBytes(limits.tarballBytes)} limit.`)
}

/** Notes about the upload's origin are kept where they make sense and dropped where they do not. */
export const originOf = (headers: IncomingHttpHeaders): UploadOrigin => ({
  gitSha: matching(headers['x-svc-git-sha'], /^[0-9a-f]{7,64}$/i),
  cliVersion: matching(headers['x-svc-cli-version'], /^[\w.+-]{1,50}$/),
})

function matching(header: string | string[] | undefined, pattern: RegExp): string | undefined {
  return typeof header === 'string' && pattern.test(header) ? header : undefined
}
