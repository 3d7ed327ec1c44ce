// One child process with all that descends from it: started behind a wall and in a cage, ended as a whole.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OutputStream } from '../../app-logs/port.ts'
import type { AppExit, AppSpec } from '../port.ts'
import { exitOf } from '../words.ts'
import type { Cage } from './cage.ts'
import { watchCpu } from './cpu-watch.ts'
import type { Launch } from './launch.ts'
import { watchMemory } from './memory-watch.ts'
import { end, treeOf } from './process-tree.ts'
import { giveInputs } from './sandbox.ts'

/** What is left of an app's output when its last process has ended comes at once. */
const outputMs = 1_000

/** What cannot be ended in this time waits for the machine itself, such as for a disk that does not answer. */
const restTries = 1_000
const restPauseMs = 5

/** For apps that write faster than can be kept. */
const pauseMs = 20

interface ChildPlan extends Launch {
  cwd: string
  cage: Cage | undefined
  /** Which all its processes together may use. */
  memoryBytes: number
  cpus: number
  /** Whether the first process is bubblewrap. Then signals go to the process inside the sandbox. */
  isWalled: boolean
  output: AppSpec['output']
}

export class Child {
  readonly ended: Promise<AppExit>
  readonly #plan: ChildPlan
  readonly #process: ChildProcess
  #hasEnded = false
  #usedTooMuch = false

  constructor(plan: ChildPlan) {
    this.#plan = plan
    const [program, ...args] = plan.argv
    this.#process = spawn(program, args, {
      cwd: plan.cwd,
      env: plan.env,
      stdio: ['ignore', 'pipe', 'pipe', ...plan.inputs.map(() => 'pipe' as const)],
      // A session of its own: a Ctrl-C at the platform's terminal is not for the app.
      detached: true,
    })
    giveInputs(this.#process.stdio.slice(3) as Writable[], plan.inputs)
    this.#pass('stdout')
    this.#pass('stderr')
    this.ended = this.#untilEnd()
    if (plan.cage) return // It limits both by itself.
    watchMemory(this, plan.memoryBytes, () => this.#endForMemory())
    watchCpu(this, plan.cpus)
  }

  /** Its first process, all that descend from it, and those in its cage that have left their parents. */
  get pids(): number[] {
    const { pid } = this.#process
    if (pid === undefined || this.#hasEnded) return []
    return [...new Set([...treeOf(pid), ...(this.#plan.cage?.pids ?? [])])]
  }

  async stop(graceMs: number): Promise<AppExit> {
    if (graceMs > 0) for (const pid of this.pids.slice(this.#plan.isWalled ? 1 : 0)) signal(pid, 'SIGTERM')
    const kill = setTimeout(() => this.kill(), graceMs)
    const exit = await this.ended
    clearTimeout(kill)
    return exit
  }

  kill(): void {
    for (const pid of this.pids) end(pid)
    this.#plan.cage?.kill()
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
    const { cage } = this.#plan
    const exit = await new Promise<Omit<AppExit, 'outOfMemory'>>(resolve => {
      this.#process.once('exit', (code, signal) => resolve({ code, signal }))
      this.#process.once('error', () => resolve({ code: null, signal: null }))
    })
    this.#hasEnded = true
    await this.#endRest()
    await this.#untilOutputEnds()
    const outOfMemory = cage?.sawOutOfMemory ?? this.#usedTooMuch
    cage?.remove()
    return exit.signal ? { ...exit, outOfMemory } : exitOf(exit.code, outOfMemory)
  }

  /** Behind a wall the system has done so already. Somebody who forks all the time may escape once, but not for long. */
  async #endRest(): Promise<void> {
    const { pid } = this.#process
    const { cage } = this.#plan
    if (pid !== undefined) end(-pid)
    for (let left = restTries; cage && left > 0 && cage.pids.length > 0; left--) {
      cage.kill()
      await sleep(restPauseMs)
    }
  }

  /** A process that left its session and could not be found may hold the pipes open. */
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
    // It has ended by itself.
  }
}
