// Resource limits (setrlimit) for apps if there are no cgroups. They hold for each process separately, so they help against
// accidents. They do not stop an app that starts many processes on purpose.
import { readFileSync } from 'node:fs'
import type { AppLimits } from '../port.ts'
import { programAt } from '../programs.ts'
import type { Sandbox } from './sandbox.ts'

const prlimit = programAt('prlimit')

/** RLIMIT_DATA also counts thread stacks and reserved memory that is not used, so the limit is higher by this. */
const spareBytes = 128 * 1024 * 1024
const openFiles = 65_536
/** RLIMIT_NPROC counts the processes of a user, and all instances of a project run as the same user. */
const instancesOfUser = 4

/** `undefined` if the program `prlimit` is missing. */
export function findRlimits(sandbox: Sandbox | undefined): Rlimits | undefined {
  return prlimit ? new Rlimits(prlimit, sandbox) : undefined
}

export class Rlimits {
  readonly description: string
  readonly #program: string
  readonly #countsProcesses: boolean

  constructor(program: string, sandbox: Sandbox | undefined) {
    this.#program = program
    this.#countsProcesses = sandbox?.hasOwnUser ?? false
    this.description = `limits of memory${this.#countsProcesses ? ', processes' : ''} and open files for each process`
  }

  /** The command line that runs `command` with the limits. Run it inside the sandbox, where the user is the app's own. */
  around(command: readonly string[], { memoryBytes, pids }: AppLimits): string[] {
    return [
      this.#program,
      `--data=${memoryBytes + spareBytes}`,
      `--nofile=${Math.min(openFiles, openFilesAtMost())}`,
      ...(this.#countsProcesses ? [`--nproc=${pids * instancesOfUser}`] : []),
      '--',
      ...command,
    ]
  }
}

/** svcd's own limit. A process cannot give a child more than it has itself. */
function openFilesAtMost(): number {
  const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Number(hard ?? openFiles)
}
