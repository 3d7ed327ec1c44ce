// Limits by the kernel's oldest means, for where cgroups cannot be had. They hold for each process of an app by itself, so
// they keep accidents small; an app that wants to use up the machine still can.
import { readFileSync } from 'node:fs'
import type { AppLimits } from '../port.ts'
import { programAt } from '../programs.ts'
import type { Wall } from './sandbox.ts'

const prlimit = programAt('prlimit')

/** Stacks of threads and what a runtime sets aside count as memory here, whether they are used or not. */
const spareBytes = 128 * 1024 * 1024
const openFiles = 65_536
/** Processes are counted by user: all instances of a project have the same one. */
const instancesOfUser = 4

/** `undefined` if the program `prlimit` is missing, too. */
export function findRlimits(wall: Wall | undefined): Rlimits | undefined {
  return prlimit ? new Rlimits(prlimit, wall) : undefined
}

export class Rlimits {
  readonly words: string
  readonly #program: string
  readonly #countsProcesses: boolean

  constructor(program: string, wall: Wall | undefined) {
    this.#program = program
    this.#countsProcesses = wall?.hasOwnUser ?? false
    this.words = `limits of memory${this.#countsProcesses ? ', processes' : ''} and open files for each process`
  }

  /** The command that runs `command` within the limits. It belongs behind the wall: there the user is the app's. */
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

/** What this program may itself: nobody can be given more. */
function openFilesAtMost(): number {
  const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Number(hard ?? openFiles)
}
