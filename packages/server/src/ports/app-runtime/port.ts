// AppRuntime: runs instances of server apps on this machine, each isolated from the platform and from the other instances.
import type { Socket } from 'node:net'
import type { Terminal, TerminalSize } from '@svc/contract'
import type { LogSink, LogSource, OutputStream } from '../app-logs/port.ts'

export interface AppRuntime {
  readonly driver: 'process' | 'docker' | 'swarm'
  /** Describes this runtime for the operator. Throws if apps cannot run. */
  check(): Promise<RuntimeReport>
  /**
   * Starts an instance and resolves when it accepts connections. Rejects with `AppDidNotStart` if the instance ends before
   * that or takes too long, and with the reason of the signal if that aborts. In both cases the instance has ended.
   */
  start(spec: AppSpec, signal?: AbortSignal): Promise<RunningApp>
  /**
   * Runs the command of the instance to its end, where `start` would start the app, and resolves with how it ended. Rejects
   * with the reason of the signal if that aborts. The command has ended then.
   */
  run(spec: AppSpec, signal: AbortSignal): Promise<AppExit>
  /** The same, while somebody gives the command its input and reads what it writes. */
  attend(spec: AppSpec, attended: Attended, signal: AbortSignal): Promise<AppExit>
  /**
   * Ends the instances that an earlier svcd of this node left running, and returns their ids. If the runtime still has
   * what they wrote since then, that goes to `rescue`. Call it once, before the first `start`.
   */
  endLeftovers(rescue?: Rescue): Promise<string[]>
  /** The user that apps of the project run as, for the files of a disk. `undefined`: svcd's own. Throws AppDidNotStart. */
  diskOwner(projectId: string): Promise<number | undefined>
  /** Connects to an instance that runs on this machine. Rejects if nothing listens at the address. */
  connect(address: Address): Promise<Socket>
  /** Kills all running instances at once. */
  close(): Promise<void>
}

/** The value of PORT for an app that has a network namespace or a container of its own. */
export const appPort = 3000

export interface Address {
  /** An IP address, or the id of an instance, which only `connect` of its runtime can reach. */
  host: string
  port: number
  /** The value of PORT, if it is not `port`. */
  appPort?: number
}

export interface RuntimeReport {
  /** Such as `bubblewrap, memory and process limits by cgroups`. */
  description: string
  /** What the operator should know about this machine, each with its remedy. */
  warnings: string[]
  /** What does not work here, each with its remedy. A check of this runtime fails if there are any. */
  problems: string[]
}

export interface AppSpec {
  instanceId: string
  projectId: string
  /** The project's name. */
  project: string
  deploymentId: string
  /** The deployment's files, which the app can only read. They stay until the instance has ended. */
  filesDir: string
  /** Paths below `filesDir`, with `/`, of directories that the app may write to. They are empty at each start. */
  scratchDirs: readonly string[]
  /** A directory of this machine that the app may write to, and where the app finds it. */
  disk?: { dir: string; path: string } | undefined
  /** Directories of this machine with sockets that the app may connect to, and where it sees them. */
  sockets?: readonly SharedSockets[]
  /** Runs in the directory of the files. */
  command: readonly [string, ...string[]]
  /** The image of the app's own Dockerfile. It then starts the image's own command, and its files do not count. */
  image?: string | undefined
  /** Whether the command runs in the image instead of the image's own. */
  replacesCommand?: boolean
  /** One of the versions of Node that the platform has. `undefined`: that of apps that ask for none. */
  node?: string | undefined
  /** The app's environment, without the variables that the runtime sets: PORT, HOSTNAME, PATH, HOME and so on. */
  env: Readonly<Record<string, string>>
  limits: AppLimits
  /** How long the app may take until it accepts connections. */
  readyWithinMs: number
  /**
   * Receives all that the app writes. It gets the last byte before `ended` resolves. Returns false if the app writes faster
   * than the log accepts: then the runtime pauses before it reads on.
   */
  output(stream: OutputStream, chunk: Buffer, at?: bigint): boolean
}

/** What the caller of a command gives it while it runs, and what becomes of its output. */
export interface Attended {
  terminal: Terminal | undefined
  /** Bytes for the command to read, their end, and the new sizes of its terminal. It must be read, and never throws. */
  input: AsyncIterable<Buffer | TerminalSize | 'end'>
  /** The command waits for what this returns before it writes more. */
  output(stream: OutputStream, chunk: Buffer): Promise<void> | undefined
}

export interface SharedSockets {
  dir: string
  at: string
}

/** Tells where the rest of an instance's output goes. `after` is the time of the last known line, in nanoseconds since 1970. */
export type Rescue = (source: LogSource) => Promise<{ after: bigint; sink: LogSink }>

export interface AppLimits {
  memoryBytes: number
  pids: number
  /** In cores: 0.5 is half a core. */
  cpus: number
}

export interface RunningApp {
  readonly instanceId: string
  readonly address: Address
  /** Resolves when all processes of the app have ended, for whatever reason. Never rejects. */
  readonly ended: Promise<AppExit>
  /** Sends SIGTERM, and after the grace time SIGKILL to all remaining processes. Resolves like `ended`. */
  stop(graceMs: number): Promise<AppExit>
  /** What it uses now. `undefined` if that cannot be told. */
  usage(): Promise<AppUsage | undefined>
}

export interface AppUsage {
  memoryBytes: number
  /** CPU time since it started. */
  cpuSeconds: number
}

export interface AppExit {
  /** Either the code or the signal is set, if it is known. */
  code: number | null
  signal: NodeJS.Signals | null
  outOfMemory: boolean
}

/** The message tells the person who deployed the app what happened. */
export class AppDidNotStart extends Error {
  override readonly name = 'AppDidNotStart'
  readonly reason: 'exited' | 'not listening' | 'cannot run'

  constructor(reason: AppDidNotStart['reason'], message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.reason = reason
  }
}
