// What the main process and its edge workers say to each other.
import type { Change } from '../ports/changes/port.ts'

export type FromWorker =
  | { kind: 'listening'; port: number; tlsPort: number | undefined }
  /** It serves sites. */
  | { kind: 'ready' }
  | { kind: 'failed'; message: string; code: string | undefined }
  /** It committed something that others must know of. */
  | { kind: 'told'; changes: Change[] }
  /** It dropped that many stored answers; said before `heard`. */
  | { kind: 'evicted'; key: string; count: number }
  /** It forgot what it was told to. */
  | { kind: 'heard'; number: number }

export type FromMain = { kind: 'hear'; number: number; changes: Change[] } | { kind: 'stop' }
