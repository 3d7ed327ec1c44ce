// The messages between the main process and its edge workers.
import type { AppAddress } from '../core/base/apps.ts'
import type { Counts } from '../core/base/request-counts.ts'
import type { Change } from '../ports/changes/port.ts'

export type FromWorker =
  /** The worker takes changes. */
  | { kind: 'listening' }
  /** The worker serves sites. */
  | { kind: 'ready' }
  | { kind: 'failed'; message: string; code: string | undefined }
  /** The worker committed changes that the other processes must apply. */
  | { kind: 'changed'; changes: Change[] }
  /** The worker dropped that many cache entries. Sent before `acknowledged`. */
  | { kind: 'evicted'; key: string; count: number }
  /** What the worker has answered since its start, for the metrics. */
  | { kind: 'counted'; counts: Counts }
  /** The worker applied the changes of the message with this number. */
  | { kind: 'acknowledged'; number: number }
  /** The worker needs a connection to an app. */
  | { kind: 'connect'; id: number; address: AppAddress }

export type FromMain =
  | { kind: 'change'; number: number; changes: Change[] }
  /** A connection without a request is closed after `idleMs`. */
  | { kind: 'stop'; idleMs: number }
  /** The socket is passed along with the message, unless there is an error. */
  | { kind: 'connected'; id: number; error?: string }
