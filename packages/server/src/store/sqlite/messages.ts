// What travels between the main thread and one that holds a connection.
export interface ThreadData {
  file: string
  /** One thread does; others only read. */
  writes: boolean
}

export interface ThreadRequest {
  id: number
  sql: string
  parameters: readonly unknown[]
  /** The first statement of a transaction brings its beginning along: one trip between the threads less. */
  begins: boolean
}

export interface ThreadAnswer {
  id: number
  rows?: unknown[]
  affected?: number
  error?: { message: string; code: string }
}
