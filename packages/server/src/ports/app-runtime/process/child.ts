// A child process with all its descendants, in its sandbox and its cgroup. They are ended together.
import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProgram } from '../../../lib/start-program.ts'
import type { OutputStream } from '../../app-logs/port.ts'
import { exitOf } from '../exit-messages.ts'
import type { AppExit, AppSpec } from '../port.ts'
import type { Cgroup } from './cgroup.ts'
import { watchCpu } from './cpu-watch.ts'
import type { Launch } from './launch.ts'
import { watchMemory } from './memory-watch.ts'
import { end, treeOf } from './process-tree.ts'
import { giveInputs } from './sandbox.ts'

/** How long to wait for the rest of the output after the last process has ended. */
const outputMs = 1_000

/** A process that survives so many attempts is stuck in the kernel, such as on a disk that does not answer. */
const restTries = 1_000
const restPauseMs = 5

/** The pause before reading on from an app that writes faster than the log accepts. */
const pauseMs = 20

interface ChildPlan extends Launch {
  cwd: string
  cgroup: Cgroup | undefined
  /** The limits of all its processes together. */
  memoryBytes: number
  cpus: number
  /** Whether the first process is bubblewrap. Then signals go to the process inside the sandbox. */
  isSandboxed: boolean
  output: AppSpec['output']
}

export class Child {
  readonly ended: Promise<AppExit>
  /** Why it never ran. To be looked at when it has ended. */
  startError: NodeJS.ErrnoException | undefined
  readonly #plan: ChildPlan
  readonly #process: ChildProcess
  #hasEnded = false
  #usedTooMuch = false

  constructor(plan: ChildPlan) {
    this.#plan = plan
    const [program, ...args] = plan.argv
    this.#process = startProgram(program, args, {
      cwd: plan.cwd,
      env: plan.env,
      stdio: ['ignore', 'pipe', 'pipe', ...plan.inputs.map(() => 'pipe' as const)],
      // The app gets a session of its own, so that Ctrl-C in svcd's terminal does not reach it.
      detached: true,
    })
    giveInputs(this.#process.stdio.slice(3) as Writable[], plan.inputs)
    this.#pass('stdout')
    this.#pass('stderr')
    this.ended = this.#untilEnd()
    if (plan.cgroup) return // The cgroup limits memory and CPU.
    watchMemory(this, plan.memoryBytes, () => this.#endForMemory())
    watchCpu(this, plan.cpus)
  }

  /** The first process, its descendants, and the processes of the cgroup that have left their parents. */
  get pids(): number[] {
    const { pid } = this.#process
    if (pid === undefined || this.#hasEnded) return []
    return [...new Set([...treeOf(pid), ...(this.#plan.cgroup?.pids ?? [])])]
  }

  async stop(graceMs: number): Promise<AppExit> {
    if (graceMs > 0) for (const pid of this.pids.slice(this.#plan.isSandboxed ? 1 : 0)) signal(pid, 'SIGTERM')
    const kill = setTimeout(() => this.kill(), graceMs)
    const exit = await this.ended
    clearTimeout(kill)
    return exit
  }

  kill(): void {
    for (const pid of this.pids) end(pid)
    this.#plan.cgroup?.kill()
  }

  #endForMemory(): void {
    this.#usedTooMuch = true
    this.kill()
  }

  #pass(name: OutputStream): void {
    const stream = this.#process[name]
    stream?.on('data', (chunk: Buffer) => {
      if (this.#plan.output(name, chunk)) return
      stream.pause()
      setTimeout(() => stream.resume(), pauseMs)
    })
  }

  async #untilEnd(): Promise<AppExit> {
    const { cgroup } = this.#plan
    const exit = await new Promise<Omit<AppExit, 'outOfMemory'>>(resolve => {
      this.#process.once('exit', (code, signal) => resolve({ code, signal }))
      this.#process.once('error', error => {
        this.startError = error
        resolve({ code: null, signal: null })
      })
    })
    this.#hasEnded = true
    await this.#endRest()
    await this.#untilOutputEnds()
    const outOfMemory = cgroup?.sawOutOfMemory ?? this.#usedTooMuch
    cgroup?.remove()
    return exit.signal ? { ...exit, outOfMemory } : exitOf(exit.code, outOfMemory)
  }

  /**
   * Kills the rest of the process group and of the cgroup. In a sandbox the kernel has killed them already. An app that keeps
   * forking may need several attempts.
   */
  async #endRest(): Promise<void> {
    const { pid } = this.#process
    const { cgroup } = this.#plan
    if (pid !== undefined) end(-pid)
    for (let left = restTries; cgroup && left > 0 && cgroup.pids.length > 0; left--) {
      cgroup.kill()
      await sleep(restPauseMs)
    }
  }

  /** Waits for the end of the output. After `outputMs` it closes the pipes, which a hidden process may keep open. */
  async #untilOutputEnds(): Promise<void> {
    const { stdout, stderr } = this.#process
    const open = [stdout, stderr].filter(stream => stream && !stream.closed)
    const closed = Promise.all(open.map(stream => new Promise(resolve => stream?.once('close', resolve))))
    const cut = setTimeout(() => {
      for (const stream of open) stream?.destroy()
    }, outputMs)
    await closed
    clearTimeout(cut)
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended.
  }
}

/** For a command that ends by itself. Kills it when `signal` aborts. */
export async function untilEnd(child: Child, signal: AbortSignal): Promise<AppExit> {
  const stop = () => child.kill()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const exit = await child.ended
  signal.removeEventListener('abort', stop)
  return exit
}
