// One instance from its start to its end: files, start, ready, stop, and what its row says of each.

import { planStart, type StartPlan } from '../core/apps/environment.ts'
import type { Framework } from '../core/apps/frameworks.ts'
import { becomeReady, end, type Instance, type InstanceParts } from '../core/apps/instances.ts'
import type { Platform } from '../core/platform.ts'
import type { AppLogs, LogSink } from '../ports/app-logs/port.ts'
import {
  AppDidNotStart,
  type AppExit,
  type AppLimits,
  type AppRuntime,
  type RunningApp,
} from '../ports/app-runtime/port.ts'
import type { AppFiles } from './app-files.ts'
import { LastLines } from './last-lines.ts'
import { adviceOnMissingPackage } from './missing-package.ts'

export interface SupervisorParts extends InstanceParts {
  platform: Pick<Platform, 'store' | 'keyring'>
  runtime: AppRuntime
  logs: AppLogs
  files: AppFiles
  limits: AppLimits
  readyWithinMs: number
  /** Between SIGTERM and SIGKILL. */
  graceMs: number
}

export class Supervisor {
  readonly deploymentId: string
  readonly projectId: string
  /** Resolves when nothing of it is left; the row says so by then. */
  readonly ended: Promise<void>
  readonly #parts: SupervisorParts
  readonly #row: Instance
  readonly #callOff = new AbortController()
  readonly #lines = new LastLines()
  #framework: Framework | undefined
  #app: RunningApp | undefined
  #isStopping = false
  #graceMs: number
  #wasCurrent = false
  #supersededAt: number | undefined

  constructor(parts: SupervisorParts, row: Instance) {
    this.#parts = parts
    this.#row = row
    this.deploymentId = row.deployment_id
    this.projectId = row.project_id
    this.#graceMs = parts.graceMs
    this.ended = this.#run()
  }

  get phase(): 'starting' | 'up' | 'stopping' {
    if (this.#isStopping) return 'stopping'
    return this.#app ? 'up' : 'starting'
  }

  /** Since when another deployment has had its place. One that is started later is so for its permanent address. */
  get supersededAt(): number | undefined {
    return this.#supersededAt
  }

  noteStatus(ofDeployment: string, now: number): void {
    const isSuperseded = ofDeployment === 'superseded'
    this.#wasCurrent ||= !isSuperseded
    this.#supersededAt = isSuperseded && this.#wasCurrent ? (this.#supersededAt ?? now) : undefined
  }

  async stop(graceMs = this.#parts.graceMs): Promise<void> {
    this.#isStopping = true
    this.#graceMs = graceMs
    this.#callOff.abort(new Error('called off'))
    await this.#app?.stop(graceMs)
    await this.ended
  }

  async #run(): Promise<void> {
    const { logs } = this.#parts
    const { id, project_id: projectId, deployment_id: deploymentId } = this.#row
    const sink = logs.open({ projectId, deploymentId, instanceId: id })
    try {
      // Whoever reads that it ended finds its last line.
      const exit = await this.#live(sink).finally(() => sink.close())
      if (exit) await this.#note(exit)
    } catch (error) {
      await this.#noteFailure(error)
    }
  }

  /** Answers how it ended; undefined where it is not wanted any more. */
  async #live(sink: LogSink): Promise<AppExit | undefined> {
    const { platform, runtime } = this.#parts
    const plan = await planStart(platform, this.deploymentId)
    if (!plan) throw new AppDidNotStart('cannot run', 'The deployment is gone.')
    this.#framework = plan.framework
    const app = await runtime.start(await this.#specOf(plan, sink), this.#callOff.signal)
    this.#app = app
    const isWanted = await becomeReady(this.#parts, this.#row, app.address, plan.generation).catch(
      async error => {
        await app.stop(0)
        throw error
      },
    )
    if (!isWanted) {
      this.#isStopping = true
      await app.stop(this.#graceMs)
    }
    return await app.ended
  }

  async #specOf(plan: StartPlan, sink: LogSink) {
    const { files, limits, readyWithinMs } = this.#parts
    const { command, env, framework, project, projectId } = plan
    const { deploymentId } = this
    const scratchDirs = framework?.scratch ?? []
    const filesDir = await files.prepare(deploymentId, scratchDirs)
    this.#callOff.signal.throwIfAborted()
    return {
      instanceId: this.#row.id,
      projectId,
      project,
      deploymentId,
      filesDir,
      scratchDirs,
      command,
      env,
      limits,
      readyWithinMs,
      output: (stream: 'stdout' | 'stderr', chunk: Buffer, at?: bigint) => {
        this.#lines.write(chunk)
        return sink.write(stream, chunk, at)
      },
    }
  }

  async #note(exit: AppExit): Promise<void> {
    if (this.#isStopping) await end(this.#parts, this.#row, 'stopped')
    else await end(this.#parts, this.#row, 'crashed', this.#explain(wordsFor(exit)))
  }

  async #noteFailure(error: unknown): Promise<void> {
    if (this.#callOff.signal.aborted) {
      await end(this.#parts, this.#row, 'stopped')
      return
    }
    const words = error instanceof AppDidNotStart ? error.message : 'The platform could not start it.'
    await end(this.#parts, this.#row, 'failed', this.#explain(words))
    if (!(error instanceof AppDidNotStart)) throw error
  }

  #explain(words: string): string {
    const { text } = this.#lines
    const advice = adviceOnMissingPackage(text, this.#framework)
    return [words, text, advice].filter(Boolean).join('\n')
  }
}

function wordsFor({ code, signal, outOfMemory }: AppExit): string {
  if (outOfMemory) return 'The app was ended because it used more memory than it may.'
  return signal ? `The app was ended by ${signal}.` : `The app ended with exit code ${code ?? 'unknown'}.`
}
