// What the main process and its edge workers say to each other.
import type { AppAddress } from '../core/apps/apps.ts'
import type { Change } from '../ports/changes/port.ts'

export type FromWorker =
  | { kind: 'listening'; port: number; tlsPort: number | undefined }
  /** It serves sites. */
  | { kind: 'ready' }
  | { kind: 'failed'; message: string; code: string | undefined }
  /** It committed something that others must know of. */
  | { kind: 'changed'; changes: Change[] }
  /** It dropped that many stored answers; said before `heard`. */
  | { kind: 'evicted'; key: string; count: number }
  /** It forgot what it was told to. */
  | { kind: 'acknowledged'; number: number }
  /** It needs a connection to an app. */
  | { kind: 'connect'; id: number; address: AppAddress }

export type FromMain =
  | { kind: 'change'; number: number; changes: Change[] }
  | { kind: 'stop' }
  /** The connection comes with the message, unless there is an error. */
  | { kind: 'connected'; id: number; error?: string }
