// The files of an upload that the platform has already, from an earlier deployment of the project. The client lists them
// in a file of the archive instead of sending them.
import { limits } from '../limits.ts'

/** The path of the list in an archive. `_svc/` belongs to the platform and is never served. */
export const unchangedPath = '_svc/unchanged.json'

/** The SHA-256 hash of each file in hex, by its path. */
export type Unchanged = ReadonlyMap<string, string>

export const sha256Pattern = /^[0-9a-f]{64}$/

export function encodeUnchanged(files: Unchanged): string {
  return `${JSON.stringify({ files: [...files] })}\n`
}

/** Reads a list. `undefined` if the text is not one. */
export function decodeUnchanged(text: string): Unchanged | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  const { files } = (json ?? {}) as { files?: unknown }
  if (!Array.isArray(files) || files.length > limits.files) return undefined
  return files.every(isRow) ? new Map(files) : undefined
}

const isRow = (row: unknown): row is [path: string, sha256: string] =>
  Array.isArray(row) &&
  row.length === 2 &&
  typeof row[0] === 'string' &&
  typeof row[1] === 'string' &&
  sha256Pattern.test(row[1])
