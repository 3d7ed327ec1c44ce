// A service with one task: passes the task's output on until the last line, reports how it ended, and removes the service.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, isConflict, isMissing } from '../docker/engine.ts'
import { OutputReader } from '../docker/output.ts'
import { usageOf } from '../docker/running.ts'
import { exitOf } from '../exit-messages.ts'
import type { AppExit, AppSpec, AppUsage } from '../port.ts'
import { isDown } from './machines.ts'
import { movedNowhere } from './service.ts'
import type { Task, TaskFollower, TaskWatch } from './tasks.ts'

/** The pause before a retry if the engine does not answer, such as while it restarts. */
const retryMs = 250
/** How often svcd asks whether the machine of a task that should end is still there. */
const lookForMachineEveryMs = 2_000

/** How long the machine of a task that has ended may take to send the rest of its output. */
const restWithinMs = 10_000
const removeAttempts = 4

const finalStates = ['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned']
/** The swarm says this if the app itself ended. */
const nonZeroExit = /^task: non-zero exit/

interface ServiceParts {
  engine: Engine
  watch: TaskWatch
  /** The machine whose engine svcd speaks to. Only its containers can be killed, measured and inspected. */
  localMachine: string
}

interface Inspected {
  State: { OOMKilled: boolean }
}

interface ServiceFacts {
  Version: { Index: number }
  Spec: { TaskTemplate: { Placement?: object } }
}

export class Service implements TaskFollower {
  readonly serviceId: string
  /** Resolves when the task has ended and the service is removed. Never rejects. */
  readonly ended: Promise<AppExit>
  /** Resolves with the task when its container runs. Never rejects. */
  readonly running: Promise<Task>
  readonly #parts: ServiceParts
  readonly #output: AppSpec['output']
  /** Output up to this time is known. */
  readonly #after: string
  #reader: OutputReader | undefined
  #task: Task | undefined
  #isRunning: (task: Task) => void = () => undefined
  #hasEnded: (task: Task | undefined) => void = () => undefined
  #isOver = false
  #isStopping = false
  #isMoved = false
  #machineAskedAt = 0

  constructor(parts: ServiceParts, id: string, output: AppSpec['output'], after = '') {
    this.serviceId = id
    this.#parts = parts
    this.#output = output
    this.#after = after
    this.running = new Promise(resolve => {
      this.#isRunning = resolve
    })
    this.ended = new Promise<Task | undefined>(resolve => {
      this.#hasEnded = resolve
    }).then(task => this.#finish(task))
    parts.watch.add(this)
  }

  get isUrgent(): boolean {
    return this.#isStopping || this.#task?.Status.State !== 'running'
  }

  /** Why the swarm could not run the container. `undefined` if it ran. */
  get problem(): string | undefined {
    const { Err } = this.#task?.Status ?? {}
    return Err && !nonZeroExit.test(Err) ? Err : undefined
  }

  /** The machine on which the task runs. */
  get machine(): string | undefined {
    return this.#task?.NodeID
  }

  look(tasks: Task[]): void {
    if (this.#isOver) return
    const { ID } = this.#task ?? {}
    // A stopped service has a second task, which never runs.
    const task = ID ? tasks.find(it => it.ID === ID) : tasks.toSorted(byAge)[0]
    if (!task) {
      // Another program removed the service, or the swarm keeps no history of tasks.
      if (ID) this.#end(undefined)
      return
    }
    this.#task = task
    const { State } = task.Status
    if (finalStates.includes(State)) this.#end(task)
    else if (State === 'running') {
      this.#readerOf(task).follow()
      this.#isRunning(task)
      if (task.DesiredState !== 'running') this.#endIfMachineIsDown(task)
    }
  }

  /** On other machines, the swarm waits for as long as the service says, whatever `graceMs` is. */
  async stop(graceMs: number): Promise<AppExit> {
    this.#isStopping = true
    this.#parts.watch.hurry()
    if (graceMs > 0) await this.#signal('SIGTERM')
    const kill = setTimeout(() => void this.#signal('SIGKILL'), graceMs)
    const exit = await this.ended
    clearTimeout(kill)
    return exit
  }

  async usage(): Promise<AppUsage | undefined> {
    const container = this.#localContainer
    return container ? await usageOf(this.#parts.engine, container) : undefined
  }

  get #localContainer(): string | undefined {
    const { NodeID, Status } = this.#task ?? {}
    return NodeID === this.#parts.localMachine ? Status?.ContainerStatus?.ContainerID : undefined
  }

  async #signal(name: NodeJS.Signals): Promise<void> {
    if (this.#isOver) return
    try {
      if (!(await this.#killLocally(name))) await this.#moveNowhere()
    } catch {
      // Retry if the engine does not answer.
      setTimeout(() => void this.#signal(name), retryMs)
    }
  }

  /** Returns false if the container does not run on this machine, or not yet. */
  async #killLocally(name: NodeJS.Signals): Promise<boolean> {
    const container = this.#localContainer
    if (!container || this.#task?.Status.State !== 'running') return false
    try {
      await this.#parts.engine.call('POST', `/containers/${container}/kill?signal=${name}`)
      return true
    } catch (error) {
      // The container has ended: the swarm will say so.
      if (isMissing(error) || isConflict(error)) return true
      throw error
    }
  }

  /** Lets the swarm stop the task. A task that has no machine yet never runs. */
  async #moveNowhere(): Promise<void> {
    if (this.#isMoved) return
    const { engine } = this.#parts
    const path = `/services/${this.serviceId}`
    try {
      const { Version, Spec } = await engine.call<ServiceFacts>('GET', path)
      await engine.call('POST', `${path}/update?version=${Version.Index}`, movedNowhere(Spec))
      this.#isMoved = true
    } catch (error) {
      if (!isMissing(error)) throw error
      this.#end(undefined)
    }
    if (!this.#task?.NodeID) this.#end(undefined)
  }

  /** A machine that is gone does not report that its tasks have ended. */
  #endIfMachineIsDown(task: Task): void {
    const now = performance.now()
    if (now - this.#machineAskedAt < lookForMachineEveryMs) return
    this.#machineAskedAt = now
    isDown(this.#parts.engine, task.NodeID ?? '').then(
      isGone => isGone && this.#end(undefined),
      error => isMissing(error) && this.#end(undefined),
    )
  }

  #end(task: Task | undefined): void {
    this.#isOver = true
    this.#parts.watch.delete(this)
    this.#hasEnded(task)
  }

  async #finish(task: Task | undefined): Promise<AppExit> {
    await this.#readRest(task).catch(leaveToNextStart)
    const outOfMemory = task ? await this.#ranOutOfMemory(task) : false
    await this.#remove()
    const code = task?.Status.ContainerStatus?.ExitCode
    if (!task || code === undefined) return { code: null, signal: 'SIGKILL', outOfMemory: false }
    return exitOf(code, outOfMemory)
  }

  async #readRest(task: Task | undefined): Promise<void> {
    // A task that was rejected has written nothing. The output of a machine that is gone cannot be read.
    if (task?.Status.ContainerStatus?.ContainerID)
      await this.#readerOf(task).finish(AbortSignal.timeout(restWithinMs))
    else await this.#reader?.stop()
  }

  async #remove(): Promise<void> {
    for (let attempt = 0; attempt < removeAttempts; attempt++)
      try {
        await this.#parts.engine.call('DELETE', `/services/${this.serviceId}`)
        return
      } catch (error) {
        if (isMissing(error)) return
        await sleep(retryMs)
      }
  }

  /** The swarm does not say it. On other machines, a SIGKILL that svcd did not cause is taken for it. */
  async #ranOutOfMemory({ Status }: Task): Promise<boolean> {
    const container = this.#localContainer
    if (!container) return Status.ContainerStatus?.ExitCode === 137 && !this.#isStopping
    const path = `/containers/${container}/json`
    const inspected = await this.#parts.engine.call<Inspected>('GET', path).catch(() => undefined)
    return inspected?.State.OOMKilled ?? false
  }

  #readerOf({ ID }: Task): OutputReader {
    this.#reader ??= new OutputReader(this.#parts.engine, `/tasks/${ID}`, this.#output, this.#after)
    return this.#reader
  }
}

const byAge = (a: Task, b: Task): number => (a.CreatedAt < b.CreatedAt ? -1 : 1)

/** Ignores an error: the next svcd of this node finds a service that is left by its label. */
const leaveToNextStart = (): undefined => undefined
