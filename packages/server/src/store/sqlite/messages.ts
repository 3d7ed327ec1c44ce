// What travels between the main thread and the writer thread.
export interface WriterRequest {
  id: number
  sql: string
  parameters: readonly unknown[]
  /** The first statement of a transaction brings its beginning along: one trip between the threads less. */
  begins: boolean
}

export interface WriterAnswer {
  id: number
  rows?: unknown[]
  affected?: number
  error?: { message: string; code: string }
}
