// The files of one project's log. Each is named after the time of its first line, so that their names are their order.
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'

export interface Segment {
  file: string
  first: bigint
}

const namePattern = /^(\d{19})\.log$/

export const segmentFile = (dir: string, first: bigint): string =>
  path.join(dir, `${String(first).padStart(19, '0')}.log`)

/** Oldest first; none where the directory does not exist. */
export async function listSegments(dir: string): Promise<Segment[]> {
  const names = await readdir(dir).catch(nothingThere)
  return (names ?? [])
    .sort()
    .flatMap(name =>
      namePattern.test(name) ? [{ file: path.join(dir, name), first: BigInt(name.slice(0, 19)) }] : [],
    )
}

/** Removes the oldest until the rest fits. */
export async function trimTo(dir: string, bytes: number): Promise<void> {
  let total = 0
  for (const { file } of (await listSegments(dir)).reverse()) {
    total += (await stat(file).catch(nothingThere))?.size ?? 0
    if (total > bytes) await rm(file, { force: true })
  }
}

/** Removes those into which nothing was written since then; the newest stays where somebody writes to it. */
export async function removeUntouched(dir: string, since: number, inUse: boolean): Promise<void> {
  const segments = await listSegments(dir)
  for (const { file } of inUse ? segments.slice(0, -1) : segments) {
    const found = await stat(file).catch(nothingThere)
    if (found && found.mtimeMs < since) await rm(file, { force: true })
  }
}

/** Somebody else was faster to remove it, which is fine. */
export function nothingThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
