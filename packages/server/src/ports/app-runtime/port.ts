// AppRuntime: runs instances of server apps on this machine, each apart from the platform and from the others.
import type { Socket } from 'node:net'
import type { LogSink, LogSource, OutputStream } from '../app-logs/port.ts'

export interface AppRuntime {
  readonly driver: 'process' | 'docker'
  /** What it found, in words for the operator; throws if apps cannot be run. */
  check(): Promise<RuntimeReport>
  /**
   * Starts an instance and resolves when it accepts connections. Rejects with `AppDidNotStart` if it ends before
   * that or takes too long, and with the signal's reason where it is called off; nothing of it runs then.
   */
  start(spec: AppSpec, signal?: AbortSignal): Promise<RunningApp>
  /**
   * Ends what a former program of this node left running, and answers the ids. What it wrote since that program ended is
   * rescued where that can be had. Only at start, before any `start`.
   */
  endLeftovers(rescue?: Rescue): Promise<string[]>
  /** A connection to an instance that runs here, by its address. Rejects if nothing listens there. */
  connect(address: Address): Promise<Socket>
  /** Ends everything that still runs, at once. */
  close(): Promise<void>
}

/** The port that an app is told to listen on where it has all ports to itself. */
export const appPort = 3000

export interface Address {
  /** An address of the network; or the id of an instance, which only `connect` knows the way to. */
  host: string
  port: number
  /** The value of PORT, where the app is reached by another port. */
  appPort?: number
}

export interface RuntimeReport {
  /** Such as `bubblewrap, memory and process limits by cgroups`. */
  words: string
  /** What an operator should know and may want to change. */
  warnings: string[]
}

export interface AppSpec {
  instanceId: string
  projectId: string
  /** The project's name. */
  project: string
  deploymentId: string
  /** The deployment's files, for reading alone. They stay until the instance has ended. */
  filesDir: string
  /** Directories below it, with `/` between their parts, that the app may write to and that are empty at each start. */
  scratchDirs: readonly string[]
  /** What is run, in the directory of the files. */
  command: readonly [string, ...string[]]
  /** All of its environment, but for what the runtime sets itself: PORT, HOSTNAME, PATH, HOME and the like. */
  env: Readonly<Record<string, string>>
  limits: AppLimits
  /** How long it may take to accept connections. */
  readyWithinMs: number
  /**
   * Takes what it writes, from its first byte to its last; the last one comes before `ended` resolves. Returns false if it
   * writes faster than can be kept: then it is read from again after a moment.
   */
  output(stream: OutputStream, chunk: Buffer, at?: bigint): boolean
}

/** Where the rest of an instance's output goes: what was written after the time given, in nanoseconds since the epoch. */
export type Rescue = (source: LogSource) => Promise<{ after: bigint; sink: LogSink }>

export interface AppLimits {
  memoryBytes: number
  pids: number
  /** Of one core; 0.5 is half of one. */
  cpus: number
}

export interface RunningApp {
  readonly instanceId: string
  readonly address: Address
  /** Resolves once nothing of it runs any more, however it came to that. Never rejects. */
  readonly ended: Promise<AppExit>
  /** SIGTERM, and SIGKILL to whatever is left after the grace time. Resolves like `ended`. */
  stop(graceMs: number): Promise<AppExit>
}

export interface AppExit {
  /** One of the two is set, where it is known. */
  code: number | null
  signal: NodeJS.Signals | null
  outOfMemory: boolean
}

/** The message says what happened, for those who deployed it. */
export class AppDidNotStart extends Error {
  override readonly name = 'AppDidNotStart'
  readonly reason: 'exited' | 'not listening' | 'cannot run'

  constructor(reason: AppDidNotStart['reason'], message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.reason = reason
  }
}
