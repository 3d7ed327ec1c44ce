// Decides which paths of an archive may become files of a site.
import { isUtf8 } from 'node:buffer'
import { normalPath, pathProblem } from '@svc/contract/site'
import { Fault } from '../../../lib/fault.ts'

/** The path that the file of an entry gets. Throws a fault if no file of a site can have it. */
export function entryPath(raw: Buffer): string {
  const path = raw.toString()
  const problem = isUtf8(raw) ? pathProblem(path) : 'has a path that is not UTF-8'
  if (problem === undefined) return normalPath(path)
  throw new Fault(
    'invalid_archive',
    `The archive entry '${printable(raw)}' ${problem}. Pack the files with plain paths below the site's root.`,
  )
}

/** For messages: short, and without control characters. */
export function printable(raw: Buffer): string {
  const text = raw
    .subarray(0, 512)
    .toString()
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
