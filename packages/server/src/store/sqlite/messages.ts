// What travels between the main thread and one that holds a connection.
import type { Durability } from './durability.ts'

export interface ThreadData {
  file: string
  /** Set for the one thread that writes. The others only read. */
  writes?: Durability
}

export type ThreadRequest =
  | {
      sql: string
      parameters: readonly unknown[]
      /** Begins a transaction first, in the same message: one trip between the threads less. */
      begins: boolean
    }
  | 'close'

export interface StatementResult {
  rows?: unknown[]
  affected?: number
  error?: { message: string; code: string }
}
