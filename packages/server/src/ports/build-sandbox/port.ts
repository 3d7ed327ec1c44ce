// BuildSandbox: runs the commands of a build apart from the platform, from apps and from other builds.

export interface BuildSandbox {
  /** In words for the operator, such as `bubblewrap, limits by cgroups`; throws if builds cannot be run. */
  check(): Promise<string>
  /** The system and the version of Node that commands run on: what was installed on one machine may not run on another. */
  readonly machine: string
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
  /** The checked-out repository: the one directory that it may change, with its home directory. */
  sourceDir: string
  /** Below it, where the line runs; empty for the repository's root. */
  workDir: string
  homeDir: string
  /** Variables that name folders of the home directory, wherever the command sees that. */
  homeFolders: Readonly<Record<string, string>>
  env: Readonly<Record<string, string>>
  limits: { memoryBytes: number; cpus: number; pids: number }
  /** False to be given less for a moment. */
  output(chunk: Buffer): boolean
}

export interface BuildExit {
  code: number | null
  signal: NodeJS.Signals | null
  outOfMemory: boolean
}

/** The environment of a command except PATH. `HOME` is the path inside the sandbox. */
export function environmentOf(
  { homeFolders, env }: Pick<BuildCommand, 'homeFolders' | 'env'>,
  home: string,
): Record<string, string> {
  const folders = Object.entries(homeFolders).map(([name, folder]) => [name, `${home}/${folder}`])
  return { HOME: home, LANG: 'C.UTF-8', ...Object.fromEntries(folders), ...env }
}

/** The folder and the line are arguments, never part of the script. */
const runIn = 'cd -- "$1" && exec /bin/sh -c "$2"'

/** The shell that runs the line of a command, which sees the repository at `root`. */
export const shellIn = (
  root: string,
  { workDir, line }: Pick<BuildCommand, 'workDir' | 'line'>,
): string[] => [...['/bin/sh', '-c', runIn, 'sh', workDir === '' ? root : `${root}/${workDir}`, line]]

/** Commands that run on this machine itself. */
export const thisMachine = `${process.platform} ${process.arch} ${process.version}`

/** The message says what to do about it. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox'
}

/** Where commands of strangers cannot be run apart from the platform, they are not run. Static sites need none. */
export const noSandbox: BuildSandbox = {
  machine: thisMachine,
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
