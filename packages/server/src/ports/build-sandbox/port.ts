// BuildSandbox: runs the commands of a build isolated from the platform, from apps and from other builds.

export interface BuildSandbox {
  /** Describes the sandbox for the operator, such as `bubblewrap, limits by cgroups`. Throws if builds cannot run. */
  check(): Promise<string>
  /** The system and the Node version of the commands. Packages installed for one machine may not run on another. */
  readonly machine: string
  /** Makes the user that runs the commands the owner of the build's files. */
  prepare(projectId: string, dirs: readonly string[]): Promise<void>
  /** Resolves when the command and all processes that it started have ended. */
  run(command: BuildCommand, signal: AbortSignal): Promise<BuildExit>
  close(): Promise<void>
}

export interface BuildCommand {
  buildId: string
  projectId: string
  /** A shell command line, which runs inside the sandbox. */
  line: string
  /** The checked-out repository. The command may write only to this directory and to its home directory. */
  sourceDir: string
  /** The directory of the repository in which the line runs. An empty string is the root. */
  workDir: string
  homeDir: string
  /** One of the versions of Node that the platform has. `undefined`: that of builds that ask for none. */
  node?: string | undefined
  /** Variables whose values are folders in the home directory. The sandbox puts the path of the home directory before them. */
  homeFolders: Readonly<Record<string, string>>
  env: Readonly<Record<string, string>>
  limits: { memoryBytes: number; cpus: number; pids: number }
  /** Receives the output. Returns false to make the sandbox pause before it reads on. */
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

/** A shell script. The folder and the line are its arguments, so they are never parsed as part of it. */
const runIn = 'cd -- "$1" && exec /bin/sh -c "$2"'

/** The argv of a shell that runs the line. `root` is the path of the repository inside the sandbox. */
export const shellIn = (
  root: string,
  { workDir, line }: Pick<BuildCommand, 'workDir' | 'line'>,
): string[] => [...['/bin/sh', '-c', runIn, 'sh', workDir === '' ? root : `${root}/${workDir}`, line]]

/** The `machine` of a sandbox that runs commands on this machine itself, not in an image. */
export const thisMachine = `${process.platform} ${process.arch} ${process.version}`

/** The sandbox cannot run commands. The message says what to do about it. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox'
}

/** Refuses all build commands, for a machine without a sandbox. Static sites without a build still work. */
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
