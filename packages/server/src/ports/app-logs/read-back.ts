// Reads a log backwards from its end, only as far as needed.
import { type FileHandle, open } from 'node:fs/promises'
import { bytesOf, type LogLine, type LogRange } from './port.ts'
import { parseRecord } from './record.ts'
import { listSegments, nothingThere } from './segments.ts'

interface Wanted extends LogRange {
  keep?: (line: LogLine) => boolean
}

const firstLook = 16 * 1024
const furtherLooks = 128 * 1024
const newline = 0x0a

/** Oldest first. */
export async function readBack(dir: string, wanted: Wanted): Promise<LogLine[]> {
  const found: LogLine[] = []
  let room = wanted.bytes
  for (const segment of (await listSegments(dir)).reverse()) {
    if (wanted.until !== undefined && segment.first >= wanted.until) continue
    for await (const lines of linesBackwards(segment.file))
      for (const bytes of lines) {
        const line = parseRecord(bytes)
        if (!line || (wanted.until !== undefined && line.at >= wanted.until)) continue
        if (wanted.since !== undefined && line.at <= wanted.since) return found.reverse()
        if (wanted.keep && !wanted.keep(line)) continue
        room -= bytesOf(line)
        if (room < 0) return found.reverse()
        found.push(line)
        if (found.length === wanted.tail) return found.reverse()
      }
  }
  return found.reverse()
}

/** Newest first, a few lines at a time. Bytes after the last line end are an unfinished line and are skipped. */
async function* linesBackwards(file: string): AsyncGenerator<Buffer[]> {
  const handle = await open(file).catch(nothingThere)
  if (!handle) return
  try {
    let position = (await handle.stat()).size
    let carried: Buffer | undefined
    while (position > 0) {
      const from = Math.max(0, position - (carried ? furtherLooks : firstLook))
      let data = await readRange(handle, from, position - from)
      position = from
      if (carried) data = Buffer.concat([data, carried])
      else data = data.subarray(0, data.lastIndexOf(newline) + 1)
      if (data.length === 0) continue
      // The first line may begin in an earlier chunk, unless the file begins here.
      const whole = position === 0 ? 0 : data.indexOf(newline) + 1
      carried = data.subarray(0, whole)
      yield splitBackwards(data.subarray(whole))
    }
  } finally {
    await handle.close()
  }
}

async function readRange(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await handle.read(buffer, 0, length, from)
  return buffer.subarray(0, bytesRead)
}

/** `data` consists of whole lines with their line ends. */
function splitBackwards(data: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let end = data.length - 1
  while (end >= 0) {
    const before = end === 0 ? -1 : data.lastIndexOf(newline, end - 1)
    lines.push(data.subarray(before + 1, end))
    end = before
  }
  return lines
}
