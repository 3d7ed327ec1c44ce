// The logs of server apps: their stdout and stderr, and notes of the platform, by instance.

export type OutputStream = 'stdout' | 'stderr'

/** The instance that writes a log. */
export interface LogSource {
  projectId: string
  deploymentId: string
  instanceId: string
}

export interface AppLogs {
  /** Opens the log of an instance. Called once for each instance. */
  open(source: LogSource): LogSink
  /** The time of the last stored line of the instance, in nanoseconds since the epoch. 0 if there is none. */
  lastOf(source: LogSource): Promise<bigint>
}

export interface LogSink {
  /**
   * Takes a chunk of output. The sink owns the buffer from now on. Never throws. `at` is the time in nanoseconds since the
   * epoch, by default now. Returns false if lines are or will soon be dropped. The caller should then pause.
   */
  write(stream: OutputStream, chunk: Buffer, at?: bigint): boolean
  /** Adds a line of the platform, such as that the app started. It begins with `platformMark`. */
  note(words: string): void
  /** The instance has ended. Resolves when all lines, and `lastNote` after them, are stored. */
  close(lastNote?: string): Promise<void>
}

/** The prefix of lines of the platform. */
export const platformMark = 'svc: '

/** Stored logs, for readers. */
export interface KeptLogs extends AppLogs {
  /** Oldest first. Times within a project only grow, so a reader can continue after the last time it saw. */
  read(query: LogQuery): Promise<LogLine[]>
  /** The projects that may have logs. */
  projects(): AsyncIterable<string>
  /** Deletes the logs of a project. Later lines of its instances are dropped. */
  remove(projectId: string): Promise<void>
  /** Deletes older lines. `than` is in milliseconds since the epoch. */
  removeOlder(than: number): Promise<void>
  /** Resolves when all accepted lines are stored. */
  close(): Promise<void>
}

export interface LogRange {
  /** How many of the newest matching lines to return. */
  tail: number
  /** The limit for all lines together, in the format of the API. */
  bytes: number
  /** Only newer lines; nanoseconds since the epoch. */
  since?: bigint | undefined
  /** Only older lines. */
  until?: bigint | undefined
}

export interface LogQuery extends LogRange {
  projectId: string
  /** Only lines for which it returns true. */
  keep?: (line: LogLine) => boolean
}

export interface LogLine {
  /** Nanoseconds since the epoch. */
  at: bigint
  source: OutputStream | 'platform'
  deploymentId: string
  instanceId: string
  text: string
}

/** The size in the format of the API: an RFC 3339 time with nanoseconds, a space, the text, and a line end. */
export const bytesOf = ({ text }: LogLine): number => 32 + Buffer.byteLength(text)
