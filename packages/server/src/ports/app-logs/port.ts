// What server apps write to stdout and stderr, and what the platform does to them, kept by instance.

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
  /** The time of the instance's last line that is kept, in nanoseconds since the epoch; 0 where there is none. */
  lastOf(source: LogSource): Promise<bigint>
}

export interface LogSink {
  /**
   * Takes the bytes as they came from the pipe, cut anywhere; the buffer is the sink's from here on. Never throws.
   * `at` is when it was written, where somebody knows better than that it comes now; nanoseconds since the epoch.
   * False where lines are, or will soon be, left out: whoever reads the pipe had better wait a moment.
   */
  write(stream: OutputStream, chunk: Buffer, at?: bigint): boolean
  /** Adds a line of the platform's own, such as that the app started. Readers know it by the mark at its beginning. */
  note(words: string): void
  /** The instance is over. What was taken, and `lastNote` after it, is kept when it resolves. */
  close(lastNote?: string): Promise<void>
}

/** How lines of the platform begin. */
export const platformMark = 'svc: '

/** What was kept, for those who read it. */
export interface KeptLogs extends AppLogs {
  /** Oldest first. Times within a project only grow: whoever asks for what is newer than the last one misses nothing. */
  read(query: LogQuery): Promise<LogLine[]>
  /** Of which projects something may be kept. */
  projects(): AsyncIterable<string>
  /** Whatever its instances still write is kept no more. */
  remove(projectId: string): Promise<void>
  /** Removes what is older; milliseconds since the epoch. */
  removeOlder(than: number): Promise<void>
  /** Resolves when everything that was taken is kept. */
  close(): Promise<void>
}

export interface LogRange {
  /** The newest of those that match. */
  tail: number
  /** Of all lines together, each with its time and its end as the API writes it. */
  bytes: number
  /** Only newer lines; nanoseconds since the epoch. */
  since?: bigint | undefined
  /** Only older lines. */
  until?: bigint | undefined
}

export interface LogQuery extends LogRange {
  projectId: string
  instanceId?: string
  deployments?: (id: string) => boolean
}

export interface LogLine {
  /** Nanoseconds since the epoch. */
  at: bigint
  source: OutputStream | 'platform'
  deploymentId: string
  instanceId: string
  text: string
}

/** As the API writes it: a time of RFC 3339 with nanoseconds, a space, the text, and the line's end. */
export const bytesOf = ({ text }: LogLine): number => 32 + Buffer.byteLength(text)

/** Keeps nothing. */
export const noLogs: AppLogs = {
  open: () => ({ write: () => true, note: () => undefined, close: async () => undefined }),
  lastOf: async () => 0n,
}
