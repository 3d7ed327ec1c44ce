// The format of a line in a log file: `<nanoseconds> <stream> <instance> <deployment> <the line's bytes>\n`.
import type { LogLine } from './port.ts'

type LineSource = LogLine['source']

export interface Entry {
  /** When it arrived. The time in the file may be slightly later, because times there always grow. */
  at: bigint
  source: LineSource
  instanceId: string
  deploymentId: string
  line: Buffer
  /** For a note of the platform: how many lines are missing here. */
  missing?: number
}

const letters = { stdout: 'o', stderr: 'e', platform: 'p' } as const
const sources: Record<string, LineSource> = { o: 'stdout', e: 'stderr', p: 'platform' }

/** Enough for any record head, because ids are short. */
const headAtMost = 160
const head = /^(\d{19}) ([oep]) (\w+) (\w+) /

/** About how many bytes a record takes besides its line, on disk and in memory. */
export const recordOverhead = 70

export const formatRecord = (entry: Entry): Buffer[] => [
  Buffer.from(
    `${String(entry.at).padStart(19, '0')} ${letters[entry.source]} ${entry.instanceId} ${entry.deploymentId} `,
  ),
  entry.line,
  lineEnd,
]
const lineEnd = Buffer.from('\n')

/** `undefined` for a damaged record. Bytes that are not UTF-8 become U+FFFD. */
export function parseRecord(bytes: Buffer): LogLine | undefined {
  const found = head.exec(bytes.toString('latin1', 0, headAtMost))
  if (!found) return undefined
  const [{ length }, at = '', letter = '', instanceId = '', deploymentId = ''] = found
  const source = sources[letter] ?? 'stdout'
  return { at: BigInt(at), source, instanceId, deploymentId, text: bytes.toString('utf8', length) }
}
