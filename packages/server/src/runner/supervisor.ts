// Runs one instance from start to end, and records each step in its row.

import { planStart, type StartPlan } from '../core/apps/environment.ts'
import {
  becomeReady,
  currentOf,
  endInstance,
  type Instance,
  type InstanceParts,
} from '../core/apps/instances.ts'
import { releaseWithinMs } from '../core/base/apps.ts'
import type { DatabaseParts, Platform } from '../core/base/platform.ts'
import type { Framework } from '../core/deployments/frameworks.ts'
import { isFull } from '../core/disk/disk.ts'
import type { AppDisks } from '../ports/app-disks/port.ts'
import type { AppLogs, LogSink } from '../ports/app-logs/port.ts'
import {
  AppDidNotStart,
  type AppExit,
  type AppLimits,
  type AppRuntime,
  type AppSpec,
  type AppUsage,
  type RunningApp,
} from '../ports/app-runtime/port.ts'
import { catchUp } from '../store/apps/generations.ts'
import { hasUnseededData, markSeeded } from '../store/apps/seeds.ts'
import { markReleased } from '../store/deployments/uploads.ts'
import { claimDisk, findDiskById } from '../store/disk/disks.ts'
import { listSnapshots } from '../store/disk/snapshots.ts'
import type { AppFiles } from './app-files.ts'
import { specOf } from './app-spec.ts'
import { fillWithCopy } from './disk-copies.ts'
import { takeSnapshot } from './disk-tasks.ts'
import { DiskIsTaken, type DiskTurns } from './disk-turns.ts'
import { InstanceTurn } from './instance-turn.ts'
import { LastLines } from './last-lines.ts'
import { adviceOnMissingPackage, adviceOnMissingProgram } from './missing-package.ts'
import { type CommandName, notes } from './notes.ts'

export interface SupervisorParts extends InstanceParts {
  platform: DatabaseParts & Pick<Platform, 'apps' | 'nodeVersions'>
  disks: AppDisks
  runtime: AppRuntime
  logs: AppLogs
  files: AppFiles
  limits: AppLimits
  readyWithinMs: number
  /** The time between SIGTERM and SIGKILL. */
  graceMs: number
}

/** How an instance ended, for its row and its log. */
interface Ending {
  outcome: 'stopped' | 'failed' | 'crashed'
  error: string | null
  note: string
  /** An unexpected error of the platform. */
  cause?: unknown
}

export class Supervisor {
  readonly deploymentId: string
  readonly projectId: string
  /** Resolves when the instance has ended and its row says so. */
  readonly ended: Promise<void>
  readonly #parts: SupervisorParts
  readonly #row: Instance
  readonly #turns: DiskTurns
  readonly #turn: InstanceTurn | undefined
  readonly #callOff = new AbortController()
  readonly #sink: LogSink
  readonly #lines = new LastLines()
  /** The reason for stopping, for the log. */
  stopsBecause: string | undefined
  #framework: Framework | undefined
  #app: RunningApp | undefined
  #isStopping = false
  #isReleasing = false
  #hasDisk = false
  #graceMs: number
  #wasCurrent = false
  #supersededAt: number | undefined

  constructor(parts: SupervisorParts, turns: DiskTurns, row: Instance) {
    this.#parts = parts
    this.#row = { ...row }
    this.#turns = turns
    this.#turn = row.disk_id === null ? undefined : new InstanceTurn(parts, this, this.#row, row.disk_id)
    this.deploymentId = row.deployment_id
    this.projectId = row.project_id
    this.#graceMs = parts.graceMs
    const { projectId, deploymentId } = this
    this.#sink = parts.logs.open({ projectId, deploymentId, instanceId: row.id })
    this.ended = this.#run()
  }

  get phase(): 'releasing' | 'starting' | 'up' | 'stopping' {
    if (this.#isStopping) return 'stopping'
    if (this.#isReleasing) return 'releasing'
    return this.#app ? 'up' : 'starting'
  }

  /** When another deployment became live. `undefined` if the instance was started after that, for its permanent URL. */
  get supersededAt(): number | undefined {
    return this.#supersededAt
  }

  /** The disk that it may write to, also while it starts and while its commands run. */
  get diskId(): string | undefined {
    return this.#hasDisk ? this.#turn?.diskId : undefined
  }

  /** The deployments whose instances ended so that this one could have the disk. */
  displaced: readonly string[] = []

  noteStatus(ofDeployment: string, now: number): void {
    const isSuperseded = ofDeployment === 'superseded'
    this.#wasCurrent ||= !isSuperseded
    this.#supersededAt = isSuperseded && this.#wasCurrent ? (this.#supersededAt ?? now) : undefined
  }

  /** `because` is written to the log. */
  async stop(because: string, graceMs = this.#parts.graceMs): Promise<void> {
    this.stopsBecause ??= because
    this.#isStopping = true
    this.#graceMs = graceMs
    this.#callOff.abort(new Error('called off'))
    await this.#app?.stop(graceMs)
    await this.ended
  }

  /** If it is not up yet, it fails to start. */
  async stopFull(): Promise<void> {
    const because = notes.stopped.diskIsFull
    this.#callOff.abort(new AppDidNotStart('cannot run', because))
    await this.stop(because)
  }

  /** `undefined` until it is up. */
  async usage(): Promise<AppUsage | undefined> {
    return await this.#app?.usage()
  }

  /** Writes a line to its log. */
  note(words: string): void {
    this.#sink.note(words)
  }

  async #run(): Promise<void> {
    const ending = await this.#live().then(
      exit => this.#endingBy(exit),
      error => this.#endingWithoutStart(error),
    )
    if (this.#turn) this.#turns.giveBack(this.#turn)
    // Store the last line before the row says that the instance ended.
    await this.#sink.close(ending.note)
    await endInstance(this.#parts, this.#row, ending.outcome, ending.error)
    if (ending.cause !== undefined) throw ending.cause
  }

  /** Resolves with how the instance ended. */
  async #live(): Promise<AppExit> {
    const { platform, runtime, store } = this.#parts
    const begun = performance.now()
    await catchUp(store.db, this.#row.id, this.projectId)
    const plan = await planStart(platform, this.deploymentId)
    if (!plan) throw new AppDidNotStart('cannot run', 'The deployment is gone.')
    if (plan.problem !== undefined) throw new AppDidNotStart('cannot run', plan.problem)
    if (plan.warning !== undefined) this.note(plan.warning)
    this.#framework = plan.framework
    const spec = { ...(await this.#specOf(plan)), disk: await this.#takeDisk() }
    await this.#runCommands(spec, plan)
    const app = await runtime.start(spec, this.#callOff.signal)
    this.#app = app
    this.note(notes.started(performance.now() - begun, this.deploymentId))
    const isWanted = await becomeReady(this.#parts, this.#row, app.address).catch(async error => {
      await app.stop(0)
      throw error
    })
    if (!isWanted) {
      this.stopsBecause ??= notes.stopped.deleted
      this.#isStopping = true
      await app.stop(this.#graceMs)
    }
    return await app.ended
  }

  /** Waits until the instance from before has ended, if they do not share the disk. Files are unpacked by then, so that requests wait only for the start. */
  async #takeDisk(): Promise<AppSpec['disk']> {
    const { store, nodeId, disks, runtime } = this.#parts
    if (!this.#turn) return undefined
    const owner = await runtime.diskOwner(this.projectId)
    const find = async (id: string) => (await findDiskById(store.db, id)).rows[0]
    const before = await find(this.#turn.diskId)
    if (before && isFull(before)) throw new AppDidNotStart('cannot run', notes.diskIsFull(before))
    this.#turn.isShared = before?.is_shared === 1
    this.displaced = await this.#turns.take(this.#turn, this.#callOff.signal)
    const disk = await find(this.#turn.diskId)
    if (!disk || disk.removed_at !== null) return undefined
    if (isFull(disk)) throw new AppDidNotStart('cannot run', notes.diskIsFull(disk))
    if (!(await claimDisk(store.db, disk.id, nodeId)))
      throw new AppDidNotStart('cannot run', 'Its disk is on another machine.')
    await fillWithCopy(this.#parts, disk)
    const newest = (await listSnapshots(store.db, disk.id))[0]?.id
    const dir = await disks.prepare(disk.id, owner, newest)
    // A snapshot needs a disk to which nothing writes.
    if (disk.is_shared === 1) this.#turns.share(this.#turn)
    else if (this.#row.takes_disk === 1 && disk.branch === '' && disk.measured_at !== null)
      await takeSnapshot(this.#parts, disk, 'deploy').catch(error =>
        this.note(notes.noSnapshot((error as Error).message)),
      )
    this.#hasDisk = true
    return { dir, path: disk.path }
  }

  /** The instance starts only if its commands succeed. */
  async #runCommands(spec: AppSpec, { release, seed }: StartPlan): Promise<void> {
    const { store, clock } = this.#parts
    const given = AbortSignal.timeout(releaseWithinMs)
    if (release) {
      await this.#runCommand('release', { ...spec, command: release }, given)
      await markReleased(store.db, this.deploymentId, clock.now())
    }
    const data = seed && { projectId: this.projectId, branch: seed.branch }
    if (!data || !(await hasUnseededData(store.db, data))) return
    await this.#runCommand('seed', { ...spec, command: seed.command }, given)
    await markSeeded(store.db, data, clock.now())
  }

  /** Runs a command to its end, in the sandbox of the app. */
  async #runCommand(name: CommandName, spec: AppSpec, given: AbortSignal): Promise<void> {
    const { runtime } = this.#parts
    const begun = performance.now()
    this.note(notes.runs(name))
    this.#isReleasing = true
    try {
      const exit = await runtime.run(spec, AbortSignal.any([given, this.#callOff.signal]))
      if (exit.code !== 0)
        throw new AppDidNotStart('exited', notes.failed(name, exit, spec.limits.memoryBytes))
    } catch (error) {
      this.#callOff.signal.throwIfAborted()
      if (!given.aborted) throw error
      throw new AppDidNotStart('exited', notes.tookTooLong(name, releaseWithinMs), { cause: error })
    } finally {
      this.#isReleasing = false
    }
    this.note(notes.succeeded(name, performance.now() - begun))
  }

  async #specOf(plan: StartPlan): Promise<AppSpec> {
    const { deploymentId } = this
    const output: AppSpec['output'] = (stream, chunk, at) => {
      this.#lines.write(chunk)
      return this.#sink.write(stream, chunk, at)
    }
    const spec = await specOf(this.#parts, plan, { instanceId: this.#row.id, deploymentId, output })
    this.#callOff.signal.throwIfAborted()
    return spec
  }

  #endingBy(exit: AppExit): Ending {
    if (this.#isStopping) {
      const killed = exit.signal === 'SIGKILL' && this.#graceMs > 0 && notes.killed(this.#graceMs)
      return { outcome: 'stopped', error: null, note: sentences(this.stopsBecause, killed) }
    }
    return { outcome: 'crashed', ...this.#explain(notes.exited(exit, this.#parts.limits.memoryBytes)) }
  }

  async #endingWithoutStart(error: unknown): Promise<Ending> {
    const { aborted, reason } = this.#callOff.signal
    if (aborted && !(reason instanceof AppDidNotStart))
      return { outcome: 'stopped', error: null, note: sentences(this.stopsBecause) }
    if (error instanceof DiskIsTaken)
      return { outcome: 'stopped', error: null, note: notes.stopped.diskIsTaken }
    if (!(error instanceof AppDidNotStart))
      return { outcome: 'failed', ...this.#explain('The platform could not start it.'), cause: error }
    const { error: words, note } = this.#explain(error.message)
    return { outcome: 'failed', error: words, note: sentences(note, await this.#former()) }
  }

  async #former(): Promise<string | undefined> {
    try {
      return (await currentOf(this.#parts, this.deploymentId)).ready && notes.formerStays
    } catch {
      return undefined // The database does not answer. `endInstance` will report that.
    }
  }

  /** The error with the app's last lines for the row, and without them for the log, which has them already. */
  #explain(words: string): Pick<Ending, 'error' | 'note'> {
    const { text } = this.#lines
    const advice = adviceOnMissingProgram(text) ?? adviceOnMissingPackage(text, this.#framework)
    return { error: [words, text, advice].filter(Boolean).join('\n'), note: sentences(words, advice) }
  }
}

const sentences = (...all: (string | false | undefined)[]): string => all.filter(Boolean).join(' ')
