// BuildSandbox: runs the commands of a build apart from the platform, from apps and from other builds.

export interface BuildSandbox {
  /** In words for the operator, such as `bubblewrap, limits by cgroups`; throws where builds cannot be run. */
  check(): Promise<string>
  /** Gives the files of a build to the user that its commands run as. */
  prepare(projectId: string, dirs: readonly string[]): Promise<void>
  /** Resolves when the command and all that it started has ended. */
  run(command: BuildCommand, signal: AbortSignal): Promise<BuildExit>
  close(): Promise<void>
}

export interface BuildCommand {
  buildId: string
  projectId: string
  /** A line for a shell, inside the sandbox. */
  line: string
  /** The checked-out repository: the one directory that it may change, with the cache. */
  sourceDir: string
  /** Below it, where the line runs; empty for the repository's root. */
  workDir: string
  /** Kept between the builds of a project. */
  cacheDir: string
  env: Readonly<Record<string, string>>
  limits: { memoryBytes: number; cpus: number; pids: number }
  output(chunk: Buffer): void
}

export interface BuildExit {
  code: number | null
  signal: NodeJS.Signals | null
  outOfMemory: boolean
}

/** The message says what to do about it. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox'
}

/** Where commands of strangers cannot be run apart from the platform, they are not run. Static sites need none. */
export const noSandbox: BuildSandbox = {
  async check() {
    throw refusal()
  },
  async prepare() {
    throw refusal()
  },
  async run() {
    throw refusal()
  },
  async close() {
    // Nothing runs.
  },
}

const refusal = () =>
  new NoSandbox(
    'This platform runs no build commands: it has no sandbox for them. The operator can install bubblewrap, or set SVCD_UNSANDBOXED_APPS=1 for code that is trusted.',
  )
