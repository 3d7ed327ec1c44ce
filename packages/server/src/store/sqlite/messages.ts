// What travels between the main thread and the writer thread.
export interface WriterRequest {
  id: number
  sql: string
  parameters: readonly unknown[]
}

export interface WriterAnswer {
  id: number
  rows?: unknown[]
  affected?: number
  error?: { message: string; code: string }
}
