// What server apps write to stdout and stderr, kept by instance.

export type OutputStream = 'stdout' | 'stderr'

/** Which instance wrote it. */
export interface LogSource {
  projectId: string
  deploymentId: string
  instanceId: string
}

export interface AppLogs {
  /** Begins the log of an instance. An instance is opened once. */
  open(source: LogSource): LogSink
}

export interface LogSink {
  /** Takes the bytes as they came from the pipe, cut anywhere; the buffer is the sink's from here on. Never throws. */
  write(stream: OutputStream, chunk: Buffer): void
  /** The instance is over; what was taken is kept when it resolves. */
  close(): Promise<void>
}

/** Keeps nothing. */
export const noLogs: AppLogs = {
  open: () => ({ write: () => undefined, close: async () => undefined }),
}
