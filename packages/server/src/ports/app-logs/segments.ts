// The files of one project's log. Each is named by the time of its first line, so that sorting the names gives their order.
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'

interface Segment {
  file: string
  first: bigint
}

const namePattern = /^(\d{19})\.log$/

export const segmentFile = (dir: string, first: bigint): string =>
  path.join(dir, `${String(first).padStart(19, '0')}.log`)

/** Oldest first. Empty if the directory does not exist. */
export async function listSegments(dir: string): Promise<Segment[]> {
  const names = await readdir(dir).catch(nothingThere)
  return (names ?? [])
    .sort()
    .flatMap(name =>
      namePattern.test(name) ? [{ file: path.join(dir, name), first: BigInt(name.slice(0, 19)) }] : [],
    )
}

/** Removes the oldest files until the others fit. */
export async function trimTo(dir: string, bytes: number): Promise<void> {
  let total = 0
  for (const { file } of (await listSegments(dir)).reverse()) {
    total += (await stat(file).catch(nothingThere))?.size ?? 0
    if (total > bytes) await rm(file, { force: true })
  }
}

/** Removes files that were not written to since then. Keeps the newest if it is in use. */
export async function removeUntouched(dir: string, since: number, inUse: boolean): Promise<void> {
  const segments = await listSegments(dir)
  for (const { file } of inUse ? segments.slice(0, -1) : segments) {
    const found = await stat(file).catch(nothingThere)
    if (found && found.mtimeMs < since) await rm(file, { force: true })
  }
}

/** Ignores that a file is already gone. */
export function nothingThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
